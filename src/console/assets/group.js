// The workers of a group that share its connectors.
import {el, quiet, tableCard} from './dom.js';
import {clock, link} from './format.js';

const about = (one) => [one.self && 'this one', one.leads && 'leads', !one.member && 'gone'].filter(Boolean).join(', ');

export function groupCard(worker) {
  const group = worker?.shares;
  return group && tableCard('Workers', ['Worker', 'Connectors', 'About'],
    group.workers.map((one) => [one.address, one.names.join(', '), about(one)]),
    ...group.unassigned.map((one) => el('p', {class: 'card bad'}, `${one.name} since ${clock(one.since)}: ${one.why}`)),
    ...group.moves.map((one) => quiet(`${clock(one.at)} ${one.connector} moved from ${one.from} to ${one.to}`)));
}

// Where a connector is that another worker has.
export const elsewhere = ({name, on, url}) => el('p', {class: 'card'}, 'It runs on ',
  /^https?:/.test(url) ? el('a', {href: `${url}/console${link('connector', name)}`}, on) : on);

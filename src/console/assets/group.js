// The workers of a group that share its connectors.
import {card, el, quiet, table} from './dom.js';

const about = (one) => [one.self && 'this one', one.leads && 'leads', !one.member && 'gone'].filter(Boolean).join(', ');
const at = (time) => `${time.slice(0, 10)} ${time.slice(11, 19)}`;

export function groupCard(worker) {
  const group = worker?.shares;
  return group && card('Workers', table('Workers', ['Worker', 'Connectors', 'About'],
    group.workers.map((one) => [one.address, one.names.join(', '), about(one)])),
    ...group.unassigned.map((one) => el('p', {class: 'card bad'}, `${one.name} since ${at(one.since)}: ${one.why}`)),
    ...group.moves.map((one) => quiet(`${at(one.at)} ${one.connector} moved from ${one.from} to ${one.to}`)));
}

// Where a connector is that another worker has.
export const elsewhere = ({name, on, url}) => el('p', {class: 'card'}, 'It runs on ',
  /^https?:/.test(url) ? el('a', {href: `${url}/console#connector/${encodeURIComponent(name)}`}, on) : on);

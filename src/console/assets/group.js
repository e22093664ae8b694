// The workers of a group that share its connectors.
import {card, el, quiet, table} from './dom.js';
import {plural, since} from './format.js';

const WHY = {worker_gone: 'that worker was gone', evened_out: 'to even out'};
const roles = (one) => [one.self && 'this one', one.leads && 'leads', !one.member && 'no member any more'].filter(Boolean).join(', ');

export function groupCard(worker) {
  const group = worker?.shares;
  if (!group) return null;
  const now = new Date().toISOString();
  const title = `Workers of the group ${worker.group}`;
  const made = card(title, table(title, ['Worker', 'Connectors', 'Which', 'About'],
    group.workers.map((one) => [one.address, one.connectors, one.names.join(', '), roles(one)])));
  for (const {name, since: begun, why} of group.unassigned.slice(0, 20))
    made.append(el('p', {class: 'card bad message'}, `${name} for ${since(begun, now)}: ${why}`));
  if (group.unassigned.length > 20) made.append(quiet(`and ${plural(group.unassigned.length - 20, 'connector')} more that nobody runs`));
  if (group.moves.length > 0) {
    made.append(table('What moved last', ['Connector', 'From', 'To', 'When', 'Why'],
      group.moves.map((one) => [one.connector, one.from, one.to, `${since(one.at, now)} ago`, WHY[one.why] ?? one.why])));
  }
  return made;
}

// Where a connector is that another worker has.
export function elsewhere(row) {
  const there = `It runs on ${row.on}, whose console says more`;
  return el('p', {class: 'card'}, ...(/^https?:/.test(row.url) ? [`${there}: `,
    el('a', {href: `${row.url}/console#connector/${encodeURIComponent(row.name)}`}, row.url)] : [`${there}.`]));
}

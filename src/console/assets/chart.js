// A line over the last ten minutes, with its words for those who do not see it.
import {el, svg} from './dom.js';

const WIDTH = 600;
const HEIGHT = 120;
const SPAN_MS = 600000;

// Round numbers only: 1, 2, 5, 10 …
function ceiling(value) {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value);
}

function points(samples, key, top) {
  const end = samples.at(-1).at;
  return samples
    .filter((sample) => sample[key] !== null && sample[key] !== undefined && end - sample.at <= SPAN_MS)
    .map((sample) => [WIDTH * (1 - (end - sample.at) / SPAN_MS), HEIGHT * (1 - sample[key] / top)]
      .map((place) => place.toFixed(1)).join(','))
    .join(' ');
}

export function chart(title, samples, key, text) {
  const values = samples.map((sample) => sample[key]).filter((value) => value !== null && value !== undefined);
  const box = el('div', {}, el('h3', {}, title));
  if (values.length < 2) {
    box.append(el('p', {class: 'quiet'}, 'Collecting: the chart begins when this page is opened.'));
    return box;
  }
  const most = Math.max(...values);
  const top = ceiling(most);
  const label = `${title}: now ${text(values.at(-1))}, at most ${text(most)}`;
  const picture = svg('svg', {class: 'chart', viewBox: `0 -2 ${WIDTH} ${HEIGHT + 4}`, preserveAspectRatio: 'none',
    role: 'img', 'aria-label': label});
  for (const share of [0, 0.5, 1])
    picture.append(svg('line', {x1: 0, x2: WIDTH, y1: HEIGHT * share, y2: HEIGHT * share}));
  picture.append(svg('polyline', {points: points(samples, key, top)}));
  box.append(el('div', {class: 'scale quiet'}, el('span', {}, text(top)), el('span', {}, `now ${text(values.at(-1))}`)),
    picture, el('div', {class: 'scale quiet'}, el('span', {}, '10 minutes ago'), el('span', {}, 'now')));
  return box;
}

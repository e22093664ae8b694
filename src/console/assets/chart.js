// A line over what the process remembers, an hour at most, with its words for those who do not see it.
import {el, svg} from './dom.js';
import {bytes, duration, known} from './format.js';

const WIDTH = 600;
const HEIGHT = 100;

// Round numbers only: 1, 2, 5, 10 …, of bytes in their unit.
function ceiling(value, text) {
  if (value <= 0) return 1;
  const unit = text === bytes ? 1024 ** Math.max(0, Math.floor(Math.log2(value) / 10)) : 1;
  const power = unit * 10 ** Math.floor(Math.log10(value / unit));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value);
}

// What is not known is a gap.
function runs(values, top, width, height) {
  const all = [];
  let run = null;
  values.forEach((value, i) => {
    if (!known(value)) {
      run = null;
      return;
    }
    if (!run) all.push(run = []);
    run.push([(width * i / (values.length - 1)).toFixed(1), (height * (1 - value / top)).toFixed(1)]);
  });
  return all;
}

function draw(picture, values, top, height) {
  for (const run of runs(values, top, WIDTH, height)) {
    const line = run.map((point) => point.join(',')).join(' ');
    picture.append(svg('polygon', {points: `${run[0][0]},${height} ${line} ${run.at(-1)[0]},${height}`}),
      svg('polyline', {points: line}));
  }
  return picture;
}

const frame = (kind, height, more) => svg('svg', {class: kind, viewBox: `0 -2 ${WIDTH} ${height + 4}`, preserveAspectRatio: 'none', ...more});

// history: {seconds, points}, and what it is now. No line before there are two values.
export function chart(title, history, key, text, now) {
  let values = [...history.points.map((point) => point[key]), now];
  values = values.slice(values.findIndex(known));
  const real = values.filter(known);
  if (real.length < 2) return null;
  const most = Math.max(...real);
  const top = ceiling(most, text);
  const span = duration((values.length - 1) * history.seconds);
  const picture = frame('chart', HEIGHT, {role: 'img',
    'aria-label': `${title}: the last ${span}, now ${text(real.at(-1))}, at most ${text(most)}`});
  for (const share of [0, 0.5, 1]) picture.append(svg('line', {x1: 0, x2: WIDTH, y1: HEIGHT * share, y2: HEIGHT * share}));
  draw(picture, values, top, HEIGHT);
  return el('div', {}, el('div', {class: 'scale quiet'}, el('span', {}, text(top)), el('span', {}, `at most ${text(most)}`)),
    picture, el('div', {class: 'scale quiet'}, el('span', {}, `${span} ago`), el('span', {}, 'now')));
}

// A glimpse of digits, 0 to z.
export function spark(trend) {
  return draw(frame('spark', 30, {'aria-hidden': 'true'}), [...trend].map((digit) => parseInt(digit, 36)), 35, 30);
}

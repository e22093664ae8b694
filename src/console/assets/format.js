// Numbers as people read them, by the rules of `walduct status` (src/base/amount_text.h, src/cli/status).

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
const two = (number) => String(number).padStart(2, '0');

export const known = (value) => value !== undefined && value !== null;

export function bytes(value) {
  if (!known(value)) return '–';
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

export const count = (value) => (known(value) ? Math.round(value).toLocaleString('en-US') : '–');

export function duration(seconds) {
  if (!known(seconds)) return '–';
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.floor(seconds);
  if (whole < 120) return `${whole} s`;
  const [large, small, ...words] = whole < 7200 ? [60, 1, 'm', 's'] : whole < 172800 ? [3600, 60, 'h', 'm'] : [86400, 3600, 'd', 'h'];
  return `${Math.floor(whole / large)}${words[0]} ${two(Math.floor(whole % large / small))}${words[1]}`;
}

export const rate = (value) => (known(value) ? `${count(value)}/s` : '–');

export const plural = (number, word) => `${count(number)} ${word}${number === 1 ? '' : 's'}`;

// Both are ISO texts of the process's own clock.
export const since = (time, now) => duration(Math.max(0, (Date.parse(now) - Date.parse(time)) / 1000));

// Of an ISO text, to the second.
export const clock = (time) => `${time.slice(0, 10)} ${time.slice(11, 19)}`;

export const link = (kind, name) => `#${kind}/${encodeURIComponent(name)}`;

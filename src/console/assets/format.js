// Numbers as people read them.

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

export function bytes(value) {
  if (value === undefined || value === null) return '–';
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

export function count(value) {
  return value === undefined || value === null ? '–' : Math.round(value).toLocaleString('en-US');
}

export function duration(seconds) {
  if (seconds === undefined || seconds === null) return '–';
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  if (whole < 86400 * 2) return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
  return `${Math.floor(whole / 86400)} days`;
}

export const rate = (value) => (value === null || value === undefined ? '–' : `${count(value)}/s`);

// Both are ISO texts of the process's own clock.
export const since = (time, now) => duration(Math.max(0, (Date.parse(now) - Date.parse(time)) / 1000));

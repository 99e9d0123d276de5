/** A time for programs (ISO 8601, in UTC). */
export const machineTime = (time: Date): string => time.toISOString();

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const dayOfYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const moment = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'long',
  timeStyle: 'long',
});

/** A time as a list shows it, as the clocks of this computer tell it: the hour of today, or the day of any other one. */
export const shortTime = (time: Date, now = new Date()): string => {
  if (time.toDateString() === now.toDateString()) return clock.format(time);
  return (time.getFullYear() === now.getFullYear() ? day : dayOfYear).format(time);
};

/** A time in full, with the time zone. */
export const momentOf = (time: Date): string => moment.format(time);

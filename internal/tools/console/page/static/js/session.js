// What the server said of this session: role, classes, topics. Pages wait for it once.

let known = null;
const waiting = [];

// setSession keeps what the server said.
export function setSession(session) {
  known = session;
  for (const run of waiting.splice(0)) run(session);
}

// currentSession returns it, or null before the first answer.
export const currentSession = () => known;

// whenSession calls the function as soon as it is known.
export function whenSession(run) {
  if (known) run(known);
  else waiting.push(run);
}

// What the server said of this session: role, classes, topics.

let known = null;

// setSession keeps what the server said.
export function setSession(session) {
  known = session;
}

// currentSession returns it, or null before the first answer.
export const currentSession = () => known;

/** Takes the place of the thread that gateways share in tests: each gateway of the bundle starts its own. */
export const sharedExaminer = undefined;

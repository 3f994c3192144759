/** The unit of work, the same for everybody: an order of 300 bytes of JSON, and the outcome that a worker gives it. */

/** What is handed to a worker. */
export const order = {
  orderId: '0123456789',
  amount: 129.5,
  country: 'DE',
  note: 'x'.repeat(236),
} as const;

export type Order = typeof order;

export const orderText = JSON.stringify(order);

/** What a worker answers. */
export const outcome = { score: 72 } as const;

export const outcomeText = JSON.stringify(outcome);

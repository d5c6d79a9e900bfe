package dev.laneway.orders;

import dev.laneway.orders.status.OrderEvent;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * Orders that are in flight, and what happens to them next. Until there are as many as wanted, each event places one;
 * then each happens to an order drawn by lot, and after one has ended a new one is placed. So the number in flight
 * stays, and by Little's law an order takes that number, times the events of an order, divided by the rate. Some events
 * are told late, some twice; those come while others go on, so that they overtake each other. The same seed gives the
 * same events. Used by one thread.
 */
final class OrderPopulation {
    private static final int CUSTOMERS = 100_000;
    private static final int MOST_HELD = 1_000_000;
    private static final int MOST_CENTS = 50_000;
    private static final int TEXT = 1 << 16;
    private static final String[] CARRIERS = {"north", "east", "south", "west"};

    private static final byte NONE = 0;
    private static final byte PLACED = 1;
    private static final byte PAID = 2;
    private static final byte PICKED = 3;
    private static final byte SHIPPED = 4;
    private static final byte OUT = 5;

    private final Mix mix;
    private final String run;
    private final SplittableRandom random;
    private final long[] numbers;
    private final byte[] steps;
    private final PriorityQueue<Held> held = new PriorityQueue<>();
    private final String items;
    private int filled;
    /** The place whose order has just ended, where a new one is placed next; negative if there is none. */
    private int vacant = -1;

    private long placed;
    private long ended;
    private long told;
    private long heldSoFar;

    /**
     * What orders are like. Immutable.
     *
     * @param inFlight orders at a time
     * @param late share of events that are told after others
     * @param repeated share of events that are told twice
     * @param cancelled share of orders that are cancelled once they are paid
     * @param itemBytes bytes of the text of what was ordered
     */
    record Mix(int inFlight, double late, double repeated, double cancelled, int itemBytes) {}

    /** An event and its order. */
    record Told(String order, OrderEvent event) {}

    private record Held(long due, long number, Told told) implements Comparable<Held> {
        @Override
        public int compareTo(Held other) {
            int byDue = Long.compare(due, other.due);
            return byDue != 0 ? byDue : Long.compare(number, other.number);
        }
    }

    /** @param run begins the names of its orders, so that those of another run are others */
    OrderPopulation(Mix mix, String run, long seed) {
        this.mix = mix;
        this.run = run;
        this.random = new SplittableRandom(seed);
        this.numbers = new long[mix.inFlight()];
        this.steps = new byte[mix.inFlight()];
        StringBuilder text = new StringBuilder(TEXT + mix.itemBytes());
        for (int at = 0; at < TEXT + mix.itemBytes(); at++) {
            text.append((char) ('a' + random.nextInt(26)));
        }
        this.items = text.toString();
    }

    long placed() {
        return placed;
    }

    long ended() {
        return ended;
    }

    /** What is told next. */
    Told next(long nowMillis) {
        told++;
        while (true) {
            Held due = held.peek();
            if (due != null && due.due() <= told) {
                held.remove();
                return due.told();
            }
            Told happened = happen(nowMillis);
            if (random.nextDouble() < mix.repeated()) {
                hold(happened);
            }
            if (!(random.nextDouble() < mix.late() && hold(happened))) {
                return happened;
            }
        }
    }

    private boolean hold(Told what) {
        if (held.size() >= MOST_HELD) {
            return false;
        }
        held.add(new Held(told + 1 + random.nextInt(mix.inFlight()), heldSoFar++, what));
        return true;
    }

    private Told happen(long nowMillis) {
        int place = vacant >= 0 ? vacant : filled < numbers.length ? filled++ : random.nextInt(numbers.length);
        vacant = -1;
        if (steps[place] == NONE) {
            numbers[place] = placed++;
        }
        return new Told(run + "-" + numbers[place], advance(place, nowMillis));
    }

    private OrderEvent advance(int place, long at) {
        byte step = steps[place]++;
        return switch (step) {
            case NONE -> {
                int from = random.nextInt(TEXT);
                yield new OrderEvent.Placed(
                        at,
                        "customer-" + random.nextInt(CUSTOMERS),
                        1 + random.nextInt(MOST_CENTS),
                        items.substring(from, from + mix.itemBytes()));
            }
            case PLACED -> new OrderEvent.Paid(at);
            case PAID -> random.nextDouble() < mix.cancelled() ? cancel(place, at) : new OrderEvent.Picked(at);
            case PICKED -> new OrderEvent.Shipped(at, CARRIERS[random.nextInt(CARRIERS.length)]);
            case SHIPPED -> new OrderEvent.OutForDelivery(at);
            case OUT -> {
                end(place);
                yield new OrderEvent.Delivered(at);
            }
            default -> throw new IllegalStateException("no step is " + step);
        };
    }

    private OrderEvent cancel(int place, long at) {
        end(place);
        return new OrderEvent.Cancelled(at);
    }

    private void end(int place) {
        steps[place] = NONE;
        vacant = place;
        ended++;
    }
}

package dev.laneway.orders.status;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.laneway.orders.status.OrderEvent.Cancelled;
import dev.laneway.orders.status.OrderEvent.Delivered;
import dev.laneway.orders.status.OrderEvent.OutForDelivery;
import dev.laneway.orders.status.OrderEvent.Paid;
import dev.laneway.orders.status.OrderEvent.Picked;
import dev.laneway.orders.status.OrderEvent.Placed;
import dev.laneway.orders.status.OrderEvent.Shipped;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Events, states and changes as JSON in UTF-8. Stateless; thread-safe. What is no such JSON is refused with an
 * {@link IllegalArgumentException} that says why.
 *
 * <pre>
 * {"event":"SHIPPED","at":1769860800000,"carrier":"north"}
 * {"status":"SHIPPED","since":1769860800000}
 * </pre>
 */
public final class OrderJson {
    private static final JsonMapper JSON = new JsonMapper();

    private OrderJson() {}

    /** Writes an event. */
    public static byte[] bytes(OrderEvent event) {
        return written(node(event));
    }

    /** Writes a state. */
    public static byte[] bytes(OrderState state) {
        ObjectNode node = JSON.createObjectNode();
        ArrayNode events = node.putArray("events");
        state.earliest().values().forEach(event -> events.add(node(event)));
        return written(node);
    }

    /** Writes a change. */
    public static byte[] bytes(StatusChange change) {
        return written(
                JSON.createObjectNode().put("status", change.status().name()).put("since", change.sinceMillis()));
    }

    /** Reads an event. */
    public static OrderEvent event(byte[] json) {
        return event(read(json));
    }

    /** Reads a state. */
    public static OrderState state(byte[] json) {
        List<OrderEvent> events = new ArrayList<>();
        read(json).path("events").forEach(node -> events.add(event(node)));
        if (events.isEmpty()) {
            throw new IllegalArgumentException("a state needs a list of events");
        }
        return OrderState.of(events);
    }

    /** Reads a change. */
    public static StatusChange change(byte[] json) {
        JsonNode node = read(json);
        return new StatusChange(status(node, "status"), number(node, "since"));
    }

    private static ObjectNode node(OrderEvent event) {
        ObjectNode node =
                JSON.createObjectNode().put("event", event.status().name()).put("at", event.atMillis());
        return switch (event) {
            case Placed placed ->
                node.put("customer", placed.customer())
                        .put("cents", placed.cents())
                        .put("items", placed.items());
            case Shipped shipped -> node.put("carrier", shipped.carrier());
            case Paid _, Picked _, OutForDelivery _, Delivered _, Cancelled _ -> node;
        };
    }

    private static OrderEvent event(JsonNode node) {
        long at = number(node, "at");
        if (at < 0) {
            throw new IllegalArgumentException("'at' is " + at + " but must be milliseconds since 1970");
        }
        return switch (status(node, "event")) {
            case PLACED -> new Placed(at, text(node, "customer"), number(node, "cents"), text(node, "items"));
            case PAID -> new Paid(at);
            case PICKED -> new Picked(at);
            case SHIPPED -> new Shipped(at, text(node, "carrier"));
            case OUT_FOR_DELIVERY -> new OutForDelivery(at);
            case DELIVERED -> new Delivered(at);
            case CANCELLED -> new Cancelled(at);
        };
    }

    private static OrderStatus status(JsonNode node, String name) {
        String text = text(node, name);
        for (OrderStatus status : OrderStatus.values()) {
            if (status.name().equals(text)) {
                return status;
            }
        }
        throw new IllegalArgumentException("'" + name + "' is no status of an order");
    }

    private static long number(JsonNode node, String name) {
        JsonNode value = node.path(name);
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            throw new IllegalArgumentException("'" + name + "' is missing, or no whole number");
        }
        return value.longValue();
    }

    private static String text(JsonNode node, String name) {
        JsonNode value = node.path(name);
        if (!value.isTextual()) {
            throw new IllegalArgumentException("'" + name + "' is missing, or no text");
        }
        return value.textValue();
    }

    private static JsonNode read(byte[] json) {
        try {
            JsonNode node = JSON.readTree(json);
            if (node != null && node.isObject()) {
                return node;
            }
        } catch (IOException malformed) {
            throw new IllegalArgumentException("it is no JSON", malformed);
        }
        throw new IllegalArgumentException("it is no JSON object");
    }

    private static byte[] written(ObjectNode node) {
        try {
            return JSON.writeValueAsBytes(node);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }
}

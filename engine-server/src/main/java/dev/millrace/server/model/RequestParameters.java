package dev.millrace.server.model;

import dev.millrace.graph.EngineException;
import dev.millrace.server.model.InferRequest.SequencePlace;
import java.math.BigInteger;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The parameters of a request that the server acts on, read from what the caller sent. Others belong to nobody here. */
public final class RequestParameters {
    private final Map<String, ? extends @Nullable Object> values;

    public RequestParameters(Map<String, ? extends @Nullable Object> values) {
        this.values = values;
    }

    /** Returns the request's place in a sequence, or null without {@code sequence_id}. */
    public @Nullable SequencePlace sequence() {
        Object id = sequenceId();
        return id == null ? null : new SequencePlace(id, flag("sequence_start"), flag("sequence_end"));
    }

    /** Returns a Long, which is unsigned, or a text; null for zero and for the empty text, which name no sequence. */
    private @Nullable Object sequenceId() {
        return switch (values.get("sequence_id")) {
            case null -> null;
            case Long number -> number == 0 ? null : number;
            case String text -> text.isEmpty() ? null : text;
            case BigInteger number when number.signum() > 0 && number.bitLength() <= Long.SIZE -> number.longValue();
            default -> throw refused("sequence_id", "an unsigned number of 64 bits or a text");
        };
    }

    /** The priority: 1 is the highest, 0 the default. */
    public long priority() {
        return count("priority");
    }

    /** The time that the request may take, sent in microseconds; null where there is none. */
    public @Nullable Duration timeout() {
        long micros = count("timeout");
        return micros == 0 ? null : Duration.of(micros, ChronoUnit.MICROS);
    }

    public boolean flag(String name) {
        return switch (values.get(name)) {
            case null -> false;
            case Boolean truth -> truth;
            default -> throw refused(name, "true or false");
        };
    }

    /** Returns a number that is not negative; 0 where there is none. */
    public long count(String name) {
        Object value = values.get(name);
        if (value instanceof String text && text.matches("\\d{1,18}")) {
            value = Long.valueOf(text);
        }
        return switch (value) {
            case null -> 0;
            case Long number when number >= 0 -> number;
            case Integer number when number >= 0 -> number;
            default -> throw refused(name, "a number that is not negative");
        };
    }

    public boolean has(String name) {
        return values.get(name) != null;
    }

    private EngineException refused(String name, String kind) {
        return EngineException.invalidArgument("parameter '" + name + "' is " + values.get(name) + "; it is " + kind);
    }
}

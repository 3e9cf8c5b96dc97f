package dev.millrace.session.generate;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.session.State;
import dev.millrace.session.ValueInfo;
import dev.millrace.session.request.CacheRoom;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The keys and values of earlier tokens: how exporters name them, and what they are before the first token. */
final class DecoderCaches {
    /** Heads of keys are rows of steps: batch, heads, steps, depth. */
    private static final int RANK = 4;

    private static final int STEPS = 2;
    /** A part of the names of what is as large for any number of tokens. */
    private static final String RECURRENT = "state";
    /** The steps that a cache has room for at first. */
    private static final int FIRST_ROOM = 256;
    /** The steps by which large caches grow; smaller ones double. */
    private static final int LATER_ROOM = 2048;

    private DecoderCaches() {}

    /** The output that is this input of the next step, or null where the input is no cache. */
    static @Nullable String output(String input, Set<String> outputs) {
        if (!input.startsWith("past")) {
            return null;
        }
        String rest = input.substring("past".length());
        String bare = rest.startsWith("_key_values") ? rest.substring("_key_values".length()) : rest;
        return Stream.of("present" + bare, "present" + rest, "present_key_values" + bare)
                .filter(outputs::contains)
                .findFirst()
                .orElse(null);
    }

    /** The cache as it is before the first token: one entry of a batch, no steps, and as many of all else as declared. */
    static State begun(State state, @Nullable ValueInfo input) {
        if (input == null || state.first() != null || state.zeros() != null) {
            return state;
        }
        SymbolicShape shape = input.type() instanceof ValueType.TensorType type ? type.shape() : null;
        if (shape == null) {
            throw undeclared(input, state);
        }
        long[] extents = new long[shape.rank()];
        for (int axis = 0; axis < extents.length; axis++) {
            extents[axis] = begun(shape, axis, input, state);
        }
        return state.ofZeros(extents);
    }

    private static long begun(SymbolicShape shape, int axis, ValueInfo input, State state) {
        if (shape.dim(axis) instanceof Dim.Known known) {
            return known.extent();
        }
        String name = shape.dim(axis).toString().toLowerCase(Locale.ROOT);
        if (name.contains("batch")) {
            return 1;
        }
        if (name.contains("past") || name.contains("seq") || name.contains("len")) {
            return 0;
        }
        if (axis == 0) {
            return 1;
        }
        if (axis == STEPS && shape.rank() == RANK) {
            return 0;
        }
        throw undeclared(input, state);
    }

    private static EngineException undeclared(ValueInfo input, State state) {
        return EngineException.invalidArgument("cache '" + input + "' leaves open how large it is: say it by"
                + " DecoderSignature.builder(session).state(State.carry(\"" + state.output() + "\", \"" + state.input()
                + "\").ofZeros(…))");
    }

    /** Whether all caches of a signature may have room for later steps, and begin empty. */
    static boolean mayHaveRoom(CacheRoom room, String mask, List<State> states) {
        return mask.equals(room.mask())
                && states.stream()
                        .allMatch(state ->
                                state.output().equals(room.presents().get(state.input())) && isEmpty(state.zeros()));
    }

    /** Whether all caches are entries of a batch whose size the model leaves open. */
    static boolean haveEntries(List<State> states, Map<String, ValueInfo> inputs) {
        return states.stream().allMatch(state -> {
            ValueInfo input = inputs.get(state.input());
            Shape zeros = state.zeros();
            return input != null
                    && zeros != null
                    && zeros.rank() > 0
                    && zeros.dim(0) == 1
                    && input.type() instanceof ValueType.TensorType type
                    && type.shape() instanceof SymbolicShape shape
                    && !(shape.dim(0) instanceof Dim.Known);
        });
    }

    /** Whether all caches begin without steps and get longer with each token. */
    static boolean grow(List<State> states) {
        return states.stream().allMatch(state -> isEmpty(state.zeros()));
    }

    private static boolean isEmpty(@Nullable Shape zeros) {
        return zeros != null && zeros.rank() == RANK && zeros.dim(STEPS) == 0;
    }

    /**
     * Returns the steps that caches of {@code count} steps have room for, so that most steps find the room of the one
     * before.
     *
     * @param most the context length; 0 if it is not known
     */
    static int room(int count, int most) {
        int room = FIRST_ROOM;
        while (room < count) {
            room += Math.min(room, LATER_ROOM);
        }
        return most >= count ? Math.min(room, most) : room;
    }

    /** How many steps caches have room for that do not grow; 0 where they do. The states of linear attention have no steps. */
    static int length(List<State> states) {
        return states.stream()
                .filter(state -> !state.input().contains(RECURRENT))
                .map(State::zeros)
                .filter(Objects::nonNull)
                .filter(zeros -> zeros.rank() == RANK)
                .mapToInt(zeros -> Math.toIntExact(zeros.dim(STEPS)))
                .min()
                .orElse(0);
    }
}

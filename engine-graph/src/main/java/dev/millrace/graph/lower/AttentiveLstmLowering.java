package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.op.Schemas;
import dev.millrace.graph.op.Trait;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lowers AttnLSTM, one direction at a time: an LSTM that attends to a memory after each step (additive attention,
 * Bahdanau et al., 2015). The attended context is a part of the next step's input. It becomes a Scan whose body is an
 * LSTM of one step, followed by the attention.
 */
final class AttentiveLstmLowering {
    private static final int WEIGHTS = 1;
    private static final int STATE_WEIGHTS = 2;
    private static final int BIAS = 3;
    private static final int LENGTHS = 4;
    private static final int HIDDEN = 5;
    private static final int CELL = 6;
    private static final int PEEPHOLES = 7;
    private static final int QUERY_WEIGHTS = 8;
    private static final int KEY_WEIGHTS = 9;
    private static final int SCORE_WEIGHTS = 10;
    private static final int MEMORY = 11;
    private static final int MEMORY_LENGTHS = 12;
    private static final int SEEN_WEIGHTS = 13;
    private static final int FUNCTIONS = 3;

    private final Composer c;
    private final int direction;
    private final boolean backward;
    private final Value steps;
    private final Value batch;

    private AttentiveLstmLowering(Composer c, int direction, boolean backward) {
        this.c = c;
        this.direction = direction;
        this.backward = backward;
        this.steps = c.extents(c.input(0), 0, 1);
        this.batch = c.extents(c.input(0), 1, 2);
    }

    static void write(Composer c) {
        String name = c.attributes().text("direction", "forward");
        int directions = name.equals("bidirectional") ? 2 : 1;
        List<List<Value>> parts = new ArrayList<>();
        for (int d = 0; d < directions; d++) {
            parts.add(new AttentiveLstmLowering(c, d, d == 1 || name.equals("reverse")).scanned());
        }
        for (int i = 0; i < 3; i++) {
            int output = i;
            Value[] sides = parts.stream().map(part -> part.get(output)).toArray(Value[]::new);
            c.result(i, c.concat(i == 0 ? 1 : 0, sides));
        }
    }

    /** Returns this direction's part of an input, with a leading axis of extent 1; null where the input is omitted. */
    private @Nullable Value side(int input) {
        return c.has(input) ? c.op(OpName.GATHER, c.input(input), c.longs(direction)) : null;
    }

    /** Returns this direction's part of an input, without the axis of directions. */
    private Value own(int input) {
        return c.op(OpName.GATHER, c.input(input), c.scalar(direction));
    }

    private Value zeros(Value... extents) {
        return c.op(OpName.EXPAND, c.scalar(c.element(0), 0), c.concat(0, extents));
    }

    private Value initial(int input) {
        Value value = side(input);
        return value == null ? zeros(c.longs(1), batch, c.extents(c.input(STATE_WEIGHTS), 2, 3)) : value;
    }

    /** Reverses each sequence where the direction is backward. */
    private Value turned(Value sequences) {
        if (!backward) {
            return sequences;
        }
        Value lengths =
                c.has(LENGTHS) ? c.cast(c.input(LENGTHS), ElementType.INT64) : c.op(OpName.EXPAND, steps, batch);
        return c.add(c.onnx("ReverseSequence", sequences, lengths)
                .with("time_axis", Attribute.of(0))
                .with("batch_axis", Attribute.of(1)));
    }

    /** Writes the scan and returns its outputs and its last states. */
    private List<Value> scanned() {
        Value seen = c.has(SEEN_WEIGHTS) ? c.input(SEEN_WEIGHTS) : c.input(MEMORY);
        List<Value> values = new ArrayList<>();
        values.add(initial(HIDDEN));
        values.add(initial(CELL));
        values.add(zeros(batch, c.extents(seen, 2, 3)));
        values.add(turned(c.input(0)));
        if (c.has(LENGTHS)) {
            Value all = c.op(OpName.UNSQUEEZE, counted(steps), c.longs(1));
            Value lengths = c.cast(c.input(LENGTHS), ElementType.INT64);
            values.add(c.cast(c.op(OpName.LESS, all, lengths), ElementType.INT32));
        }
        NodeSpec spec = c.onnx("Scan", values.toArray(Value[]::new))
                .with("body", Attribute.of(body()))
                .with("num_scan_inputs", Attribute.of(c.has(LENGTHS) ? 2 : 1));
        List<Value> results = c.add(spec, 4);
        return List.of(
                c.op(OpName.UNSQUEEZE, turned(results.getLast()), c.longs(1)), results.getFirst(), results.get(1));
    }

    private Value counted(Value end) {
        return c.op(OpName.RANGE, c.scalar(0), c.op(OpName.RESHAPE, end, c.longs()), c.scalar(1));
    }

    /**
     * Returns the body of the scan: an LSTM of the input and the previous context, then the attention to the memory.
     * Sequences that have ended keep their states.
     */
    private Graph body() {
        Value keys = c.op(OpName.MATMUL, c.input(MEMORY), own(KEY_WEIGHTS));
        Value isThere = isThere();
        @Nullable Value[] weights = {side(WEIGHTS), side(STATE_WEIGHTS), side(BIAS), side(PEEPHOLES)};
        Value asking = own(QUERY_WEIGHTS);
        Value scoring = own(SCORE_WEIGHTS);
        Value seeing = c.has(SEEN_WEIGHTS) ? own(SEEN_WEIGHTS) : null;
        Composer b = c.nested("step");
        Value hidden = b.parameter("hidden");
        Value cells = b.parameter("cells");
        Value seen = b.parameter("seen");
        Value input = b.concat(1, b.parameter("input"), seen);
        Value length = c.has(LENGTHS) ? b.parameter("length") : null;
        Value step = b.op(OpName.UNSQUEEZE, input, b.longs(0));
        List<Value> after = b.add(
                b.onnx(OpName.LSTM, step, weights[0], weights[1], weights[2], length, hidden, cells, weights[3])
                        .with(functions()),
                3);
        Value query = b.op(OpName.SQUEEZE, after.get(1), b.longs(0));
        Value asked = b.op(OpName.UNSQUEEZE, b.op(OpName.MATMUL, query, asking), b.longs(1));
        Value scores = b.op(OpName.MATMUL, b.op(OpName.TANH, b.op(OpName.ADD, keys, asked)), scoring);
        Value shown = isThere == null
                ? scores
                : b.op(OpName.WHERE, isThere, scores, b.scalar(c.element(0), Double.NEGATIVE_INFINITY));
        Value shares = b.add(b.onnx(OpName.SOFTMAX, shown).with("axis", Attribute.of(-1)));
        Value found = b.op(OpName.MATMUL, b.op(OpName.UNSQUEEZE, shares, b.longs(1)), c.input(MEMORY));
        Value context = b.op(OpName.SQUEEZE, found, b.longs(1));
        return b.giving(
                after.get(1),
                after.get(2),
                seeing == null ? context : b.op(OpName.MATMUL, b.concat(1, query, context), seeing),
                b.op(OpName.SQUEEZE, after.getFirst(), b.longs(0, 1)));
    }

    /** Returns a mask of the memory's steps that are no padding; null where none is. */
    private @Nullable Value isThere() {
        if (!c.has(MEMORY_LENGTHS)) {
            return null;
        }
        Value lengths = c.cast(c.input(MEMORY_LENGTHS), ElementType.INT64);
        Value places = counted(c.extents(c.input(MEMORY), 1, 2));
        return c.op(OpName.LESS, places, c.op(OpName.UNSQUEEZE, lengths, c.longs(1)));
    }

    /**
     * Returns the attributes of a forward LSTM for this direction. The lists of activations and of their parameters
     * hold those of both directions, one after the other.
     */
    private Attributes functions() {
        Attributes result = c.attributes().without("direction");
        List<String> names = c.attributes().texts("activations");
        if (names == null) {
            return result;
        }
        int first = Math.min(FUNCTIONS * direction, names.size());
        List<Attribute.Bytes> own = names.subList(first, Math.min(first + FUNCTIONS, names.size())).stream()
                .map(Attribute::of)
                .map(Attribute.Bytes.class::cast)
                .toList();
        result = result.with("activations", new Attribute.Strings(own));
        for (String parameter : List.of("alpha", "beta")) {
            float[] all = c.attributes().reals("activation_" + parameter);
            if (all != null) {
                long before = names.subList(0, first).stream()
                        .filter(name -> takes(name, parameter))
                        .count();
                var left = new ArrayList<Float>();
                for (int i = (int) before; i < all.length; i++) {
                    left.add(all[i]);
                }
                result = result.with("activation_" + parameter, new Attribute.Floats(left));
            }
        }
        return result;
    }

    private static boolean takes(String function, String parameter) {
        return Schemas.with(Trait.RECURRENT_ACTIVATION).stream()
                .filter(op -> op.name().equalsIgnoreCase(function))
                .map(op -> Schemas.find(op, Integer.MAX_VALUE))
                .anyMatch(schema -> schema != null && schema.attribute(parameter) != null);
    }
}

package dev.millrace.session.generate;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import dev.millrace.session.Session;
import dev.millrace.session.State;
import dev.millrace.session.ValueInfo;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A decoder that reads the results of an encoder, and the roles of its inputs and outputs by the names that exporters use. */
final class CrossDecoder {
    private static final String HIDDEN = "encoder_hidden_states";
    private static final String ENCODER_MASK = "encoder_attention_mask";
    private static final String CROSS = ".encoder.";

    private final Session session;
    private final Map<String, DecoderInput> numbers = new LinkedHashMap<>();
    private final @Nullable ValueInfo hidden;
    private final @Nullable ValueInfo encoderMask;
    private final String ids;
    private final List<State> selfCaches;
    private final Map<String, ValueInfo> crossInputs = new LinkedHashMap<>();
    /** The outputs that are caches, by the names of the inputs of the next step. */
    private final Map<String, String> presents = new LinkedHashMap<>();

    CrossDecoder(Session session) {
        this.session = session;
        Map<String, ValueInfo> inputs = new LinkedHashMap<>();
        session.inputs().forEach(info -> inputs.put(info.name(), info));
        hidden = inputs.remove(HIDDEN);
        encoderMask = inputs.remove(ENCODER_MASK);
        Map<String, State> self = new LinkedHashMap<>();
        for (ValueInfo info : List.copyOf(inputs.values())) {
            if (info.name().startsWith("past")) {
                inputs.remove(info.name());
                if (info.name().contains(CROSS)) {
                    crossInputs.put(info.name(), info);
                } else {
                    self.put(info.name(), DecoderCaches.begun(state(info), info));
                }
            }
        }
        selfCaches = List.copyOf(self.values());
        ids = inputs.containsKey("decoder_input_ids") ? "decoder_input_ids" : "input_ids";
        Set<String> known = Set.of(
                ids, "decoder_attention_mask", "attention_mask", "position_ids", "cache_position", "use_cache_branch");
        for (ValueInfo info : inputs.values()) {
            if (known.contains(info.name())) {
                numbers.put(info.name(), new DecoderInput(info));
            } else if (!info.optional()) {
                throw EngineException.invalidArgument("input '" + info + "' is none that decoders behind an encoder"
                        + " usually have: these have " + HIDDEN + ", " + ENCODER_MASK + ", past_key_values.… and "
                        + known);
            }
        }
        if (!numbers.containsKey(ids) || !outputs().contains("logits")) {
            throw EngineException.invalidArgument(
                    "a decoder behind an encoder has an input input_ids and an output logits;" + " this model has "
                            + session.inputs() + " and " + session.outputs());
        }
        for (String output : outputs()) {
            if (output.startsWith("present")) {
                presents.put(pastOf(output), output);
            }
        }
    }

    private State state(ValueInfo past) {
        String output = DecoderCaches.output(past.name(), outputs());
        if (output == null) {
            throw EngineException.invalidArgument("cache '" + past + "' has no output present.… in " + outputs());
        }
        return State.carry(output, past.name());
    }

    /** Returns the input of the next step that an output of caches is. */
    private static String pastOf(String present) {
        String rest = present.substring("present".length());
        return rest.startsWith("_key_values") ? "past" + rest : "past_key_values" + rest;
    }

    private Set<String> outputs() {
        var names = new LinkedHashSet<String>();
        session.outputs().forEach(info -> names.add(info.name()));
        return names;
    }

    Session session() {
        return session;
    }

    /** The caches of the decoder's own tokens. */
    List<State> selfCaches() {
        return selfCaches;
    }

    /** The names of the inputs that are caches: of the decoder's own tokens, and of the encoder's results. */
    Set<String> caches() {
        var names = new LinkedHashSet<>(crossInputs.keySet());
        selfCaches.forEach(state -> names.add(state.input()));
        return names;
    }

    boolean isCross(String cache) {
        return crossInputs.containsKey(cache);
    }

    /** Whether the first step and the later ones are branches of this model. */
    boolean hasBranches() {
        return numbers.containsKey("use_cache_branch");
    }

    /** Returns the output that becomes an input of the next step. */
    String present(String past) {
        String output = presents.get(past);
        if (output == null) {
            throw EngineException.invalidArgument(
                    "the first decoder has no output for cache '" + past + "' of the next one, in " + outputs());
        }
        return output;
    }

    /** Whether the model has this input of the encoder's results. */
    boolean reads(String input) {
        return input.equals(HIDDEN) ? hidden != null : encoderMask != null;
    }

    /** Whether several beams may be the entries of a batch. */
    boolean takesBatch() {
        return numbers.get(ids) instanceof DecoderInput input && input.takesBatch();
    }

    /**
     * Returns the caches before the first step. They hold no step, unless the model names an extent as one of the encoder's results: the
     * first step ignores their values, but not their shapes.
     */
    Map<String, Tensor> noCaches(Map<String, Tensor> encoded) {
        Map<String, Long> extents = new HashMap<>();
        encoded.forEach((name, tensor) -> addExtents(name.equals(HIDDEN) ? hidden : encoderMask, tensor, extents));
        var none = new LinkedHashMap<String, Tensor>();
        for (State state : selfCaches) {
            none.put(state.input(), zeros(state, info(state.input()), extents));
        }
        crossInputs.forEach((name, info) -> none.put(name, zeros(State.carry(name, name), info, extents)));
        return none;
    }

    private static void addExtents(@Nullable ValueInfo info, Tensor tensor, Map<String, Long> to) {
        SymbolicShape shape = info == null ? null : shape(info);
        for (int axis = 0;
                shape != null && axis < Math.min(shape.rank(), tensor.shape().rank());
                axis++) {
            if (shape.dim(axis) instanceof Dim.Symbol symbol) {
                to.put(symbol.name(), tensor.shape().dim(axis));
            }
        }
    }

    private static @Nullable SymbolicShape shape(ValueInfo info) {
        return info.type() instanceof ValueType.TensorType type ? type.shape() : null;
    }

    private ValueInfo info(String input) {
        return session.inputs().stream()
                .filter(info -> info.name().equals(input))
                .findFirst()
                .orElseThrow();
    }

    private static Tensor zeros(State state, ValueInfo info, Map<String, Long> extents) {
        State begun = DecoderCaches.begun(state, info);
        if (!(info.type() instanceof ValueType.TensorType type) || type.element() == null || begun.zeros() == null) {
            throw EngineException.invalidArgument("cache '" + info + "' declares no type");
        }
        long[] dims = begun.zeros().toArray();
        for (int axis = 0; axis < dims.length; axis++) {
            if (type.shape() instanceof SymbolicShape shape && shape.dim(axis) instanceof Dim.Symbol symbol) {
                dims[axis] = extents.getOrDefault(symbol.name(), dims[axis]);
            }
        }
        return Tensor.allocate(type.element(), Shape.of(dims));
    }

    /** Returns what a model wants to know of the encoder's results; ones for a mask that the encoder has not. */
    Map<String, Tensor> encoded(Tensor hiddenStates, @Nullable Tensor mask) {
        var all = new LinkedHashMap<String, Tensor>();
        all.put(HIDDEN, hiddenStates);
        if (encoderMask != null) {
            int length = Math.toIntExact(hiddenStates.shape().dim(1));
            all.put(
                    ENCODER_MASK,
                    mask == null ? new DecoderInput(encoderMask).row(length, _ -> 1) : Tensor.copyOf(mask));
        }
        return all;
    }

    /**
     * Returns the inputs of a step without the caches and the encoder's results.
     *
     * @param rows all tokens of each beam
     * @param cached the number of tokens that the caches cover
     */
    Inputs inputs(int[][] rows, int cached) {
        int count = rows[0].length;
        int length = count - cached;
        Inputs inputs = Inputs.empty();
        numbers.forEach((name, input) -> inputs.and(
                name,
                switch (name) {
                    case "use_cache_branch" -> input.single(cached > 0 ? 1 : 0);
                    case "cache_position" -> input.row(length, i -> cached + i);
                    case "position_ids" -> input.rows(rows.length, length, (_, i) -> cached + i);
                    case "decoder_attention_mask", "attention_mask" -> input.rows(rows.length, count, (_, _) -> 1);
                    default -> input.rows(rows.length, length, (row, i) -> rows[row][cached + i]);
                }));
        return inputs;
    }
}

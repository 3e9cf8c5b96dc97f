package dev.millrace.session.generate;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.PlainText;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import dev.millrace.session.State;
import dev.millrace.session.ValueInfo;
import dev.millrace.session.request.CacheRoom;
import dev.millrace.session.request.GrowingCaches;
import dev.millrace.session.request.RequestCheck;
import dev.millrace.session.request.Streaming;
import dev.millrace.session.util.Failures;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The roles of a language model's inputs and outputs. The names that exporters use are recognised: {@code input_ids},
 * {@code attention_mask}, {@code position_ids}, {@code use_cache_branch}, {@code num_logits_to_keep}, caches like
 * {@code past_key_values.0.key} to {@code present.0.key}, and {@code logits}. A builder takes other names:
 * {@code DecoderSignature.builder(session).ids("tokens").state(State.carry("k_out", "k_in").ofZeros(1, 8, 0, 64)).build()}.
 */
public final class DecoderSignature {
    private final StepInputs steps;
    private final String logits;
    private final List<State> states;
    /** Whether the caches are entries of a batch whose size is open. */
    private final boolean haveEntries;
    /** Whether these entries may have different lengths. */
    private final boolean mayDiffer;

    private DecoderSignature(
            StepInputs steps, String logits, List<State> states, boolean haveEntries, boolean mayDiffer) {
        this.steps = steps;
        this.logits = logits;
        this.states = states;
        this.haveEntries = haveEntries;
        this.mayDiffer = mayDiffer;
    }

    /**
     * Returns the signature that the names of the session's inputs and outputs imply; throws if
     * they leave an input without a role.
     */
    public static DecoderSignature of(Session session) {
        return builder(session).build();
    }

    /** Returns a builder with the roles that the names imply, for changes. */
    public static Builder builder(Session session) {
        return new Builder(Failures.requireArgument(session, "session"));
    }

    /** The name of the output of logits, whose last row scores the candidates for the next token. */
    public String logits() {
        return logits;
    }

    /**
     * The key and value caches: outputs of a step that are inputs of the next one. Empty if each
     * step is given all tokens again.
     */
    public List<State> states() {
        return states;
    }

    /** The model's context length in tokens; 0 if it is not known. */
    public int contextLength() {
        return steps.contextLength();
    }

    /** Returns this signature with other values of inputs that every run is given. */
    DecoderSignature with(Session session, Map<String, Tensor> values) {
        Map<String, Tensor> all = new HashMap<>(steps.fixed());
        values.forEach((name, value) -> {
            ValueInfo input = session.inputs().stream()
                    .filter(each -> each.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> EngineException.invalidArgument("the model has no input '" + name + "'"));
            RequestCheck.check(input, value);
            all.put(name, value);
        });
        return new DecoderSignature(steps.with(all), logits, states, haveEntries, mayDiffer);
    }

    /** Returns the inputs of steps, without the caches. */
    StepInputs steps() {
        return steps;
    }

    boolean keepsCaches() {
        return !states.isEmpty();
    }

    /** Whether caches may have room for later steps. */
    boolean hasRoom() {
        return steps.room() != null;
    }

    /** The number of steps that caches get room for, if they may have room and so many tokens are there. */
    int room(int tokens) {
        return DecoderCaches.room(tokens, steps.contextLength());
    }

    /** Whether the caches of the first tokens of a text are the first steps of its caches. */
    boolean mayCutCaches() {
        return hasRoom() || keepsCaches() && DecoderCaches.grow(states);
    }

    /** Whether a run may read tokens that are guesses: they are overwritten if they are wrong. */
    boolean mayGuess() {
        return hasRoom() && Collections.disjoint(steps.fixed().keySet(), Builder.KEPT);
    }

    /** Whether several texts, whose lengths differ, may be the entries of a batch. */
    boolean mayBatch() {
        return hasRoom() && mayDiffer && steps.branch() == null && takesBatch();
    }

    /** Whether several texts of one length may be the entries of a batch. */
    boolean takesBatch() {
        return haveEntries && steps.takeBatch();
    }

    void check(Session session) {
        Set<String> names = new LinkedHashSet<>();
        session.inputs().forEach(info -> names.add(info.name()));
        inputNames().forEach(name -> {
            if (!names.contains(name)) {
                throw EngineException.invalidArgument(
                        "the signature is of another model: there is no input '" + name + "' in " + names);
            }
        });
    }

    private Set<String> inputNames() {
        Set<String> names = steps.names();
        states.forEach(state -> names.add(state.input()));
        return names;
    }

    /** Returns the number of steps that outputs have logits of. */
    int rows(Outputs outputs) {
        Tensor all = outputs.get(logits);
        return all.elements() == 0
                ? 0
                : Math.toIntExact(all.elements() / all.shape().dimAt(-1));
    }

    /** Returns the logits of the last step of an entry of a batch. */
    float[] lastLogits(Outputs outputs, int entry, int entries) {
        return DecoderLogits.last(outputs.get(logits), entry, entries);
    }

    @Override
    public String toString() {
        return PlainText.line(inputNames() + " to '" + logits + "'");
    }

    /** Assigns roles to inputs and outputs. */
    public static final class Builder {
        /** A part of the names of inputs for the matrices of low-rank adapters. */
        private static final String ADAPTED = "lora_";

        private static final Set<String> KEPT = Set.of("num_logits_to_keep", "logits_to_keep");

        private final Map<String, ValueInfo> inputs = new LinkedHashMap<>();
        private final Set<String> outputs = new LinkedHashSet<>();
        private final Map<String, State> states = new LinkedHashMap<>();
        private final Map<String, Tensor> fixed = new LinkedHashMap<>();
        private @Nullable String ids;
        private @Nullable String mask;
        private @Nullable String positions;
        private @Nullable String branch;
        private @Nullable String logits;
        private int contextLength;
        private final CacheRoom room;

        private Builder(Session session) {
            room = session instanceof Streaming streaming ? streaming.cacheRoom() : CacheRoom.NONE;
            session.inputs().forEach(info -> inputs.put(info.name(), info));
            session.outputs().forEach(info -> outputs.add(info.name()));
            ids = found("input_ids");
            mask = found("attention_mask");
            positions = found("position_ids");
            branch = found("use_cache_branch");
            logits = outputs.contains("logits") ? "logits" : null;
            for (ValueInfo input : session.inputs()) {
                String output = DecoderCaches.output(input.name(), outputs);
                if (output != null) {
                    states.put(input.name(), State.carry(output, input.name()));
                } else if (KEPT.contains(input.name())) {
                    fixed.put(input.name(), new DecoderInput(input).single(1));
                } else if (input.name().contains(ADAPTED) && !input.optional()) {
                    fixed.put(input.name(), new DecoderInput(input).empty());
                }
            }
        }

        private @Nullable String found(String name) {
            return inputs.containsKey(name) ? name : null;
        }

        /** Sets the input of the token ids. */
        public Builder ids(String input) {
            ids = input;
            return this;
        }

        /** Sets the attention mask, the input that has 1 for each token that is present; null for none. */
        public Builder mask(@Nullable String input) {
            mask = input;
            return this;
        }

        /** Sets the input of the tokens' positions in the text; null for none. */
        public Builder positions(@Nullable String input) {
            positions = input;
            return this;
        }

        /** Sets the input that says whether the caches are filled; null for none. */
        public Builder branch(@Nullable String input) {
            branch = input;
            return this;
        }

        /** Sets the output of logits, which scores the candidates for the next token. */
        public Builder logits(String output) {
            logits = output;
            return this;
        }

        /** Adds a cache whose initial zeros have an extent of 0, or the full length, along the axis of tokens. */
        public Builder state(State state) {
            states.put(Failures.requireArgument(state, "state").input(), state);
            return this;
        }

        /** Sets a constant value for another input. */
        public Builder fixed(String input, Tensor value) {
            fixed.put(Failures.requireArgument(input, "input"), Failures.requireArgument(value, "value"));
            return this;
        }

        /** Sets the model's context length in tokens, prompt included. */
        public Builder contextLength(int tokens) {
            if (tokens < 1) {
                throw EngineException.invalidArgument("contextLength is " + tokens + "; it is at least 1");
            }
            contextLength = tokens;
            return this;
        }

        public DecoderSignature build() {
            states.replaceAll((input, state) -> DecoderCaches.begun(state, inputs.get(input)));
            DecoderSignature signature = signature();
            Set<String> names = signature.inputNames();
            for (ValueInfo input : inputs.values()) {
                if (!names.contains(input.name()) && !input.optional()) {
                    throw EngineException.invalidArgument("input '" + input
                            + "' is none that language models usually have: say what it is by DecoderSignature.builder,"
                            + " which knows ids, mask, positions, branch, state and fixed");
                }
            }
            return signature;
        }

        private DecoderSignature signature() {
            List<State> caches = List.copyOf(states.values());
            DecoderInput tokens = required(ids, "the tokens, input_ids in most models");
            DecoderInput places = input(positions);
            DecoderInput filled = input(branch);
            DecoderInput ofRoom = maskOfRoom(caches);
            var steps = new StepInputs(
                    tokens,
                    ofRoom != null && ofRoom.name().equals(mask) ? null : input(mask),
                    places,
                    filled,
                    Map.copyOf(fixed),
                    ofRoom,
                    contextLength > 0 ? contextLength : DecoderCaches.length(caches));
            boolean haveEntries = DecoderCaches.haveEntries(caches, inputs);
            return new DecoderSignature(steps, foundLogits(), caches, haveEntries, haveEntries && room.mayDiffer());
        }

        /** Returns the mask that tells the valid steps of caches with room: the model's own, or one that was added to it. */
        private @Nullable DecoderInput maskOfRoom(List<State> caches) {
            if (room.isAdded()) {
                boolean isWanted = mask == null || !room.mayDiffer();
                return isWanted && DecoderCaches.mayHaveRoom(room, GrowingCaches.MASK.name(), caches)
                        ? new DecoderInput(GrowingCaches.MASK)
                        : null;
            }
            return mask != null && DecoderCaches.mayHaveRoom(room, mask, caches) ? input(mask) : null;
        }

        private DecoderInput required(@Nullable String name, String what) {
            if (name == null) {
                throw EngineException.invalidArgument(
                        "there is no input for " + what + ", in " + inputs.keySet() + ": is this a language model?");
            }
            return Objects.requireNonNull(input(name));
        }

        private @Nullable DecoderInput input(@Nullable String name) {
            if (name == null) {
                return null;
            }
            ValueInfo info = inputs.get(name);
            if (info == null) {
                throw EngineException.invalidArgument("Invalid input name: " + name + "; there are " + inputs.keySet());
            }
            return new DecoderInput(info);
        }

        private String foundLogits() {
            if (logits != null) {
                if (!outputs.contains(logits)) {
                    throw EngineException.invalidArgument("Invalid output name: " + logits + "; there are " + outputs);
                }
                return logits;
            }
            List<String> others = outputs.stream()
                    .filter(output -> states.values().stream()
                            .noneMatch(state -> state.output().equals(output)))
                    .toList();
            if (others.size() != 1) {
                throw EngineException.invalidArgument("which of " + others
                        + " says how likely tokens are? Say it by DecoderSignature.builder(session).logits(name)");
            }
            return others.getFirst();
        }
    }
}

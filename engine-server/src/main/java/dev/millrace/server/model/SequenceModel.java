package dev.millrace.server.model;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.server.config.SessionSettings;
import dev.millrace.server.model.InferRequest.SequencePlace;
import dev.millrace.server.protocol.ModelConfig;
import dev.millrace.server.protocol.ModelSequenceBatching;
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.Sequence;
import dev.millrace.session.Session;
import dev.millrace.session.State;
import dev.millrace.session.StatefulSession;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import reactor.core.publisher.Mono;

/** A model whose requests follow each other in sequences, with states that the engine keeps and inputs that mark their ends. */
public final class SequenceModel implements ServedModel {
    private static final int MOST_SEQUENCES = 10_000;
    private static final long DEFAULT_IDLE_MICROS = 1_000_000;

    private final Session session;
    private final ModelConfig config;
    private final TensorRules rules;
    private final RunSettings settings;
    private final StatefulSession stateful;
    private final boolean hasStates;
    private final Inference stateless;
    private final ControlInputs controls;
    private final int mostSequences;
    private final Duration idle;
    private final LongSupplier nanoClock;
    private final OpenedFile opened;
    private final Map<String, List<String>> labels;
    private final Map<Object, Live> live = new ConcurrentHashMap<>();

    /** A sequence that has begun. */
    private static final class Live {
        final Sequence sequence;
        volatile long usedNanos;

        Live(Sequence sequence, long now) {
            this.sequence = sequence;
            usedNanos = now;
        }
    }

    /**
     * Takes ownership of the session.
     *
     * @param labels the names of classes, by the names of outputs
     */
    public SequenceModel(
            OpenedFile opened,
            ModelConfig config,
            Map<String, List<String>> labels,
            List<State> states,
            LongSupplier nanoClock) {
        session = opened.session();
        this.labels = labels;
        this.opened = opened;
        this.config = config;
        this.nanoClock = nanoClock;
        ModelSequenceBatching batching = config.getSequenceBatching();
        rules = new TensorRules(config);
        settings = new RunSettings(config);
        controls = new ControlInputs(batching.getControlInputList(), config.getMaxBatchSize() > 0);
        long micros = batching.getMaxSequenceIdleMicroseconds();
        idle = RunSettings.micros(micros == 0 ? DEFAULT_IDLE_MICROS : micros);
        int candidates = batching.getOldest().getMaxCandidateSequences();
        mostSequences = candidates == 0 ? MOST_SEQUENCES : candidates;
        hasStates = !states.isEmpty();
        State[] all = states.toArray(new State[0]);
        if (config.getMaxBatchSize() > 1) {
            var batched = session.batched(SessionSettings.batching(config, session));
            stateless = batched;
            stateful = batched.stateful(all);
        } else {
            stateless = session;
            stateful = session.stateful(all);
        }
    }

    @Override
    public ModelConfig config() {
        return config;
    }

    @Override
    public Mono<Outputs> infer(InferRequest request) {
        return Mono.deferContextual(context -> {
            SequencePlace place = place(request);
            Inputs all = Inputs.of(oneRowOf(request));
            Live sequence = sequence(place);
            controls.of(place).forEach((name, tensor) -> all.and(name, tensor));
            Inference inference = hasStates ? sequence.sequence : stateless;
            var options = settings.of(request);
            return RunObservations.observed(context, config.getName(), options, built -> inference.mono(all, built))
                    .map(answer -> rules.answer(request, answer))
                    .doFinally(_ -> {
                        sequence.usedNanos = nanoClock.getAsLong();
                        if (place.end() && live.remove(place.id(), sequence)) {
                            sequence.sequence.close();
                        }
                    });
        });
    }

    private SequencePlace place(InferRequest request) {
        SequencePlace place = request.sequence();
        if (place == null) {
            throw EngineException.invalidArgument("model '" + config.getName()
                    + "' takes sequences: the request needs the parameter sequence_id, which is not 0 and"
                    + " not empty");
        }
        return place;
    }

    /** Returns the inputs of a request, which have one row where there is a batch axis. */
    private Map<String, Tensor> oneRowOf(InferRequest request) {
        Map<String, Tensor> inputs = rules.checked(request);
        for (Tensor each : inputs.values()) {
            if (rules.isBatched() && each.shape().dim(0) != 1) {
                throw EngineException.invalidArgument("a request of a sequence has a batch of 1, not of "
                        + each.shape().dim(0) + ": sequences are joined by the server");
            }
        }
        return inputs;
    }

    /** Returns the sequence that a request belongs to, and begins it where the request says so. */
    private Live sequence(SequencePlace place) {
        long now = nanoClock.getAsLong();
        endIdle(now);
        if (!place.start()) {
            Live found = live.get(place.id());
            if (found == null) {
                throw EngineException.invalidArgument(
                        "sequence " + printed(place.id()) + " of model '" + config.getName()
                                + "' has not begun, has ended or was idle for longer than " + idle
                                + ": its first request has the parameter sequence_start");
            }
            found.usedNanos = now;
            return found;
        }
        if (live.size() >= mostSequences && !live.containsKey(place.id())) {
            throw new EngineException(
                    Status.OVERLOADED,
                    "model '" + config.getName() + "' has " + live.size() + " sequences; it takes no more");
        }
        var next = new Live(stateful.begin(), now);
        Live former = live.put(place.id(), next);
        if (former != null) {
            former.sequence.close();
        }
        return next;
    }

    private void endIdle(long now) {
        live.forEach((id, each) -> {
            if (now - each.usedNanos > idle.toNanos() && live.remove(id, each)) {
                each.sequence.close();
            }
        });
    }

    private static String printed(Object id) {
        return id instanceof Long number ? Long.toUnsignedString(number) : "'" + id + "'";
    }

    @Override
    public List<String> labels(String output) {
        return labels.getOrDefault(output, List.of());
    }

    @Override
    public OpenedFile opened() {
        return opened;
    }

    @Override
    public int waiting() {
        return session.waiting();
    }

    @Override
    public void close() {
        stateful.close();
        session.close();
    }
}

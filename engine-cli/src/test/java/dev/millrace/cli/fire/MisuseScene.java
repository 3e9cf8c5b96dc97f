package dev.millrace.cli.fire;

import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.session.BatchOptions;
import dev.millrace.session.BatchedSession;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.ReplaceableSession;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Sequence;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.State;
import dev.millrace.session.StatefulSession;
import dev.millrace.session.generate.DecoderSignature;
import dev.millrace.session.generate.Generator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The objects to misuse: an engine, its sessions, and the objects made from them. */
final class MisuseScene implements AutoCloseable {
    static final byte[] MODEL = FireModels.perceptron();
    static final Inputs INPUTS = Inputs.of("x", Tensor.copyOf(new float[24], 2, 12));
    static final Inputs STEP = Inputs.of("x", Tensor.copyOf(new float[] {1, 2, 3}, 1, 3));
    static final int WORDS = 11;

    private static final byte[] ADDING = adding();
    private static final byte[] WRITING = writing();
    private static final String NAME_OF_STATE = "state";

    final Engine engine = Engine.create(EngineOptions.builder().threads(2).build());
    final Session adding = engine.session(ADDING, SessionOptions.defaults());
    final Session writing = engine.session(WRITING, SessionOptions.defaults());
    final Cancellation cancellation = new Cancellation();
    final List<Outputs> kept = new ArrayList<>();
    final State state = State.carry(adding.outputs().get(1).name(), NAME_OF_STATE);
    final StatefulSession stateful = adding.stateful(state);
    final StatefulSession together =
            adding.batched(BatchOptions.builder().axis("batch").build()).stateful(state);
    final Sequence sequence = stateful.begin();
    final Generator generator = Generator.of(
            writing,
            DecoderSignature.builder(writing)
                    .logits(writing.outputs().getFirst().name())
                    .build());
    final ReplaceableSession replaceable = ReplaceableSession.of(engine.session(MODEL, SessionOptions.defaults()));
    Session session = engine.session(MODEL, SessionOptions.defaults());
    BatchedSession batched = session.batched(BatchOptions.defaults());
    Map<String, Tensor> snapshot = Map.of(NAME_OF_STATE, Tensor.copyOf(new float[3], 1, 3));

    /** Returns a model with a state: the sum of all inputs so far, and twice that. */
    private static byte[] adding() {
        Net net = Net.named("adding");
        Value sum = net.op("Add", net.floats("x", "batch", 3), net.floats(NAME_OF_STATE, "batch", 3));
        return net.output(net.op("Add", sum, sum)).output(sum).bytes();
    }

    /** Returns a language model whose next word depends on the last one. */
    private static byte[] writing() {
        Net net = Net.named("writing");
        Value ids = net.input("input_ids", ElementType.INT64, "batch", "tokens");
        Value words = net.op("Gather", net.weights(WORDS, 8), ids);
        return net.output(net.op("MatMul", words, net.weights(8, WORDS))).bytes();
    }

    String output() {
        return session.outputs().getFirst().name();
    }

    Outputs run() {
        return run(RunOptions.builder().cancellation(cancellation).build());
    }

    Outputs run(RunOptions options) {
        Outputs outputs = session.run(INPUTS, options);
        kept.add(outputs);
        return outputs;
    }

    @Nullable
    Outputs last() {
        return kept.isEmpty() ? null : kept.getLast();
    }

    @Override
    public void close() {
        stateful.close();
        together.close();
        replaceable.close();
        session.close();
        adding.close();
        writing.close();
        engine.close();
    }
}

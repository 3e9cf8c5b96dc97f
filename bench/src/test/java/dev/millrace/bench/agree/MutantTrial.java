package dev.millrace.bench.agree;

import dev.millrace.bench.reference.OnnxRuntimeSession;
import dev.millrace.cli.fire.Doubt;
import dev.millrace.cli.fire.Doubt.Reason;
import dev.millrace.cli.fire.InnerValues;
import dev.millrace.cli.fire.MadeInputs;
import dev.millrace.cli.fire.Mutants.Mutant;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import dev.millrace.session.ValueInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs a mutated model optimised, unoptimised and on ONNX Runtime, and compares the answers. */
final class MutantTrial {
    private final Mutant mutant;
    private final Engine engine;
    private final OnnxRuntimeSession.Runtime runtime;
    private final Path file;
    private final Consumer<String> stages;

    /** The outcome of the trial. */
    enum End {
        ALIKE,
        DIFFERENT,
        DOUBTFUL,
        RANDOM,
        ONLY_HERE,
        REFUSED
    }

    /** @param text the trial and its difference */
    record Result(End end, String text) {
        private static final String BETWEEN = " ";

        String toLine() {
            return end + BETWEEN + text.replaceAll("\\R", " ");
        }

        static Result ofLine(String line) {
            int between = line.indexOf(BETWEEN);
            return new Result(End.valueOf(line.substring(0, between)), line.substring(between + 1));
        }
    }

    MutantTrial(
            Mutant mutant, Engine engine, OnnxRuntimeSession.Runtime runtime, Path folder, Consumer<String> stages) {
        this.mutant = mutant;
        this.engine = engine;
        this.runtime = runtime;
        this.file = folder.resolve("mutant-" + ProcessHandle.current().pid() + ".onnx");
        this.stages = stages;
    }

    Result run() throws IOException {
        stages.accept(ModelCheck.HERE + " " + mutant.name());
        Files.write(file, mutant.model());
        try (var optimised = new Side.Ours(engine, file, Trials.options(Level.ALL));
                var plain = new Side.Ours(engine, file, Trials.options(Level.DISABLED, "cpu"))) {
            List<ValueInfo> declared = optimised.inputs();
            if (declared == null || plain.refusal() != null) {
                return new Result(End.REFUSED, "");
            }
            Inputs inputs;
            try {
                inputs = MadeInputs.of(declared, new Random(mutant.inputsSeed()));
            } catch (EngineException cannotBeMade) {
                return new Result(End.REFUSED, "");
            }
            return answers(
                    inputs, optimised.run(inputs).answers(), plain.run(inputs).answers());
        }
    }

    private Result answers(Inputs inputs, @Nullable Map<String, Datum> fast, @Nullable Map<String, Datum> plain)
            throws IOException {
        if (fast == null || plain == null) {
            return new Result(End.REFUSED, "");
        }
        Side.Result reference = reference(mutant.model(), inputs);
        Map<String, Datum> expected = reference.answers();
        if (expected == null) {
            return new Result(End.ONLY_HERE, reference.refusal());
        }
        ModelFileFacts facts = ModelFileFacts.of(file);
        if (facts.random()) {
            return new Result(End.RANDOM, "");
        }
        var judge = new Judge(Tolerances.of(List.of()), facts);
        Result plainly = compare("as it stands", judge, inputs, expected, plain);
        return plainly.end() == End.DIFFERENT ? plainly : compare("optimised", judge, inputs, expected, fast);
    }

    private Result compare(
            String how, Judge judge, Inputs inputs, Map<String, Datum> expected, Map<String, Datum> actual)
            throws IOException {
        if (!expected.keySet().equals(actual.keySet())) {
            return new Result(End.DIFFERENT, mutant.name() + ", " + how + ", " + judge.difference(expected, actual));
        }
        End end = End.ALIKE;
        var doubt = new Doubt(this::plainly, false);
        for (Map.Entry<String, Datum> answer : expected.entrySet()) {
            String name = answer.getKey();
            Datum ours = Objects.requireNonNull(actual.get(name));
            String difference = judge.difference(Map.of(name, answer.getValue()), Map.of(name, ours));
            if (difference == null) {
                continue;
            }
            stages.accept(ModelCheck.HERE + " asking why, " + mutant.name());
            Reason reason = doubt.reason(mutant.model(), inputs, name, answer.getValue(), ours);
            Culprit culprit = reason == Reason.NONE ? culprit(judge, doubt, inputs) : null;
            if (culprit != null && culprit.reason() == Reason.NONE) {
                String what = mutant.name() + ", " + culprit.node() + ": " + how + ", " + difference;
                return new Result(End.DIFFERENT, what);
            }
            end = End.DOUBTFUL;
        }
        return new Result(end, "");
    }

    private @Nullable Map<String, Datum> plainly(byte[] model, Inputs inputs) {
        try (var ours = new Side.Ours(engine, model, Trials.options(Level.DISABLED, "cpu"))) {
            return ours.run(inputs).answers();
        }
    }

    private Side.Result reference(byte[] model, Inputs inputs) throws IOException {
        Files.write(file, model);
        stages.accept(ModelCheck.THERE + " " + mutant.name());
        try (var theirs = new Side.Theirs(runtime, file, 1)) {
            return theirs.run(inputs);
        }
    }

    /**
     * The first node in whose value ONNX Runtime differs from the unoptimised model, and the reason.
     *
     * @param node the node, or a word if there is none, because values that are made outputs are not fused
     */
    private record Culprit(String node, Reason reason) {}

    private Culprit culprit(Judge judge, Doubt doubt, Inputs inputs) throws IOException {
        byte[] shown = InnerValues.shown(mutant.model());
        Map<String, Datum> ours = plainly(shown, inputs);
        Map<String, Datum> theirs = reference(shown, inputs).answers();
        if (ours == null || theirs == null) {
            return new Culprit("together", Reason.NONE);
        }
        for (Node node : Models.read(shown, null).graph().nodes()) {
            for (Value output : node.outputs()) {
                String name = output == null ? "" : output.name();
                Datum expected = theirs.get(name);
                Datum actual = ours.get(name);
                if (expected != null
                        && actual != null
                        && judge.difference(Map.of(name, expected), Map.of(name, actual)) != null) {
                    String what = node.op().name() + " " + node.opset() + " " + node.attributes() + " " + node.inputs();
                    return new Culprit(what, doubt.reason(shown, inputs, name, expected, actual));
                }
            }
        }
        return new Culprit("together", Reason.NONE);
    }
}

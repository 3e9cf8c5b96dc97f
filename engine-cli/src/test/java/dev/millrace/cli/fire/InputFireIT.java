package dev.millrace.cli.fire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.conformance.TensorComparison;
import dev.millrace.cli.conformance.Tolerance;
import dev.millrace.cli.fire.Guard.Outcome;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Inputs that do not fit, or fit and mean harm: they are answered or refused, and good ones are answered as before. */
@Tag("fuzz")
@Tag("slow")
class InputFireIT {
    private static final int ATTEMPTS = 2_000;
    private static final TensorComparison COMPARISON = new TensorComparison(Tolerance.STANDARD);

    private int answered;
    private int refused;

    /** A session, inputs that it likes, and what it answers. */
    private record Target(String name, Session session, Inputs good, Map<String, Datum> answer) {}

    @Test
    void hostileInputsAreAnsweredOrRefused() throws Exception {
        try (Engine engine = Engine.create(EngineOptions.builder().threads(1).build())) {
            var targets = new ArrayList<Target>();
            FireModels.all().forEach((name, model) -> targets.add(target(engine, name, model)));
            Fire.attempts(
                    "inputs", ATTEMPTS, this, random -> attack(targets.get(random.nextInt(targets.size())), random));
            targets.forEach(InputFireIT::requireUnharmed);
            targets.forEach(target -> target.session().close());
        }
        assertThat(answered + refused).isPositive();
    }

    private static Target target(Engine engine, String name, byte[] model) {
        Session session = engine.session(model, SessionOptions.defaults());
        Inputs good = MadeInputs.of(session.inputs(), new Random(3));
        return new Target(name, session, good, run(session, good, RunOptions.defaults()));
    }

    private static Map<String, Datum> run(Session session, Inputs inputs, RunOptions options) {
        var kept = new LinkedHashMap<String, Datum>();
        // not closed: the answer is looked at later
        Outputs outputs = session.run(inputs, options);
        outputs.names().forEach(name -> kept.put(name, outputs.datum(name)));
        return kept;
    }

    private void attack(Target target, Random random) {
        Inputs inputs = Inputs.of(target.good().asMap());
        var names = List.copyOf(target.good().asMap().keySet());
        for (int left = 1 + random.nextInt(2); left > 0; left--) {
            String name = names.get(random.nextInt(names.size()));
            // as it was: memory that it was moved to may be closed
            if (target.good().asMap().get(name) instanceof Tensor tensor) {
                inputs = changed(inputs, name, tensor, random);
            }
        }
        Inputs request = inputs;
        Outcome<Map<String, Datum>> outcome = Guard.outcome(
                "inputs for " + target.name() + " " + described(request),
                cancellation -> run(
                        target.session(),
                        request,
                        RunOptions.builder().cancellation(cancellation).build()));
        if (outcome.isAnswer()) {
            answered++;
        } else if (outcome.refusal() != null) {
            refused++;
        }
    }

    private static String described(Inputs inputs) {
        return inputs.asMap().keySet() + ": "
                + inputs.asMap().values().stream()
                        .map(value ->
                                value instanceof Tensor tensor ? tensor.type() + " " + tensor.shape() : "no tensor")
                        .toList();
    }

    private static Inputs changed(Inputs inputs, String name, Tensor tensor, Random random) {
        return switch (random.nextInt(8)) {
            case 0 -> inputs.and(name, HostileTensor.of(tensor.type(), HostileTensor.shape(random), random));
            case 1 ->
                inputs.and(name, HostileTensor.of(ElementType.values()[random.nextInt(26)], tensor.shape(), random));
            case 2 -> inputs.and(name, HostileTensor.elsewhere(tensor, random));
            case 3 -> without(inputs, name, random);
            case 4 -> inputs.and(name, HostileTensor.of(tensor.type(), emptied(tensor.shape(), random), random));
            default -> inputs.and(name, HostileTensor.of(tensor.type(), tensor.shape(), random));
        };
    }

    /** Nothing, as much as there is a name for it. */
    private static Inputs without(Inputs inputs, String name, Random random) {
        var rest = new LinkedHashMap<String, Datum>(inputs.asMap());
        Datum removed = rest.remove(name);
        if (removed != null && random.nextBoolean()) {
            rest.put("nobody knows this", removed);
        }
        return Inputs.of(rest);
    }

    /** An extent of 0, and at times one beside it that is as large as it likes, since no element comes of it. */
    private static Shape emptied(Shape shape, Random random) {
        long[] dims = shape.toArray();
        if (dims.length > 0) {
            Arrays.fill(dims, 1);
            dims[random.nextInt(dims.length)] = 1L << random.nextInt(41);
            dims[random.nextInt(dims.length)] = 0;
        }
        return dims.length == 0 ? shape : Shape.of(dims);
    }

    private static void requireUnharmed(Target target) {
        Map<String, Datum> now = run(target.session(), target.good(), RunOptions.defaults());
        target.answer()
                .forEach(
                        (name, value) -> assertThat(COMPARISON.difference(value, Objects.requireNonNull(now.get(name))))
                                .as(target.name())
                                .isNull());
    }

    @Override
    public String toString() {
        return answered + " answered, " + refused + " refused";
    }
}

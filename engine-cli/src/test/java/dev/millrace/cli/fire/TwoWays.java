package dev.millrace.cli.fire;

import dev.millrace.cli.conformance.TensorComparison;
import dev.millrace.cli.conformance.Tolerance;
import dev.millrace.cli.fire.Doubt.Reason;
import dev.millrace.cli.fire.Guard.Outcome;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.ValueInfo;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Runs a model both optimised and unoptimised, and compares the answers if both answer. */
final class TwoWays implements AutoCloseable {
    /** The absolute tolerance relative to the largest element: a sum that cancels out is as inexact as its terms. */
    private static final double OF_THE_LARGEST = 1e-6;

    private static final double OVERFLOWING = 1e30;
    private static final int ANSWERS_PER_ILL_CONDITIONED = 1_000;
    private static final int ANSWERS_PER_UNDECIDED = 500;
    private static final int SLOW_SHOWN = 20;
    private static final List<String> RANDOM_OPERATORS = List.of("Random", "Bernoulli", "Multinomial", "Dropout");

    private final boolean isOfProviders;
    private final Doubt doubt;
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());
    private int answered;
    private int refused;
    private int slow;
    private int stopped;
    private int optimisedOnly;
    private int illConditioned;
    private int undecided;
    private int roundedElsewhere;

    /** Creates a comparison of the optimised model with the unoptimised one on {@code cpu}. */
    TwoWays() {
        this(false);
    }

    private TwoWays(boolean isOfProviders) {
        this.isOfProviders = isOfProviders;
        this.doubt = new Doubt(this::plainly, isOfProviders);
    }

    /**
     * Creates a comparison of the unoptimised model on all providers with {@code cpu} alone: each
     * has to refuse what the other refuses.
     */
    static TwoWays ofProviders() {
        return new TwoWays(true);
    }

    /** The outputs of a run, copied out of the session's memory. */
    record Answer(Inputs inputs, Map<String, Datum> outputs) {}

    /** @param inputsSeed the seed of the inputs */
    void tryOut(String what, byte[] model, long inputsSeed) {
        tryOut(what, model, declared -> MadeInputs.of(declared, new Random(inputsSeed)));
    }

    void tryOut(String what, byte[] model, Function<List<ValueInfo>, Inputs> maker) {
        Outcome<Answer> fast = run(what + ", optimised,", model, true, maker);
        Answer first = fast.answer();
        Outcome<Answer> plain = run(what + ", as it stands,", model, false, first == null ? maker : _ -> first.inputs);
        count(what, fast, plain);
        Answer mine = fast.answer();
        Answer theirs = plain.answer();
        // the random numbers that a model draws may be values that one of its nodes refuses
        if (theirs != null && fast.refusal() != null && !isShortOfMemory(fast.refusal()) && !isRandom(model)) {
            throw new AssertionError(what + " is refused when it is optimised only: " + fast.refusal());
        }
        if (isOfProviders && mine != null && plain.refusal() != null && !isShortOfMemory(plain.refusal())) {
            throw new AssertionError(what + " is refused by cpu only: " + plain.refusal());
        }
        if (mine == null || theirs == null || isRandom(model) || overflows(mine) || overflows(theirs)) {
            return;
        }
        boolean isOfChoice =
                (hasNaN(mine) || hasNaN(theirs)) && (isPaddedWithProducts(model) || hasInfiniteWeights(model));
        if (isOfChoice && !isOfProviders) {
            return;
        }
        boolean isDoubtful = false;
        boolean isUndecided = false;
        for (Map.Entry<String, Datum> output : mine.outputs.entrySet()) {
            Datum expected = theirs.outputs.get(output.getKey());
            Map.Entry<String, Datum> given = output;
            if (isOfChoice && expected != null) {
                given = Map.entry(output.getKey(), withoutNaNOf(output.getValue(), expected));
                expected = withoutNaNOf(expected, output.getValue());
            }
            Reason reason = reason(what, model, mine.inputs, given, expected);
            isDoubtful |= reason == Reason.A_PART;
            isUndecided |= reason == Reason.ALL;
        }
        illConditioned += isDoubtful ? 1 : 0;
        undecided += isUndecided && !isDoubtful ? 1 : 0;
    }

    /**
     * Whether a refusal is for lack of memory. Then one run may have taken the memory that the other lacks, and in
     * blocks of channels (NCHWc) an image of few channels takes more.
     */
    private static boolean isShortOfMemory(EngineException refusal) {
        return refusal.getCause() instanceof OutOfMemoryError
                || String.valueOf(refusal.getMessage()).contains("there is no memory for");
    }

    /**
     * Returns the reason why an output differs from the expected one, or null if it does not;
     * throws if there is no reason.
     */
    private @Nullable Reason reason(
            String what, byte[] model, Inputs inputs, Map.Entry<String, Datum> output, @Nullable Datum expected) {
        String name = output.getKey();
        Datum value = output.getValue();
        String difference =
                expected == null ? "is missing" : comparison(expected).difference(expected, value);
        if (difference == null) {
            return null;
        }
        Reason reason = expected == null ? Reason.NONE : doubt.reason(model, inputs, name, expected, value);
        switch (reason) {
            case NONE -> throw new AssertionError(what + ": output '" + name + "' " + difference + " as it stands");
            case A_PART, ALL ->
                System.out.println(
                        "ill-conditioned (" + reason + "): " + what + ": output '" + name + "' " + difference);
            case ROUNDED_ELSEWHERE -> roundedElsewhere++;
            case OVERFLOW -> {}
        }
        return reason;
    }

    private static boolean isRandom(byte[] model) {
        String text = new String(model, StandardCharsets.ISO_8859_1);
        return RANDOM_OPERATORS.stream().anyMatch(text::contains);
    }

    /**
     * Whether the model may have convolutions, whose padding some kernels multiply and others skip. The results differ
     * only for weights that are not finite.
     */
    private static boolean isPaddedWithProducts(byte[] model) {
        return new String(model, StandardCharsets.ISO_8859_1).contains("Conv");
    }

    /**
     * Returns a copy of a floating-point tensor with 0 wherever it or the other one is NaN, because which numbers
     * become NaN is the implementation's choice.
     */
    private static Datum withoutNaNOf(Datum value, Datum other) {
        boolean areAlike = value instanceof Tensor one
                && other instanceof Tensor two
                && one.type() == two.type()
                && one.type().isFloating()
                && one.shape().equals(two.shape());
        if (!areAlike) {
            return value;
        }
        Tensor numbers = Tensor.copyOf((Tensor) value);
        ElementType type = numbers.type();
        for (long i = 0; i < numbers.elements(); i++) {
            double product = Elements.getDouble(type, numbers.segment(), i)
                    * Elements.getDouble(type, ((Tensor) other).segment(), i);
            if (Double.isNaN(product)) {
                Elements.setDouble(type, numbers.segment(), i, 0);
            }
        }
        return numbers;
    }

    /** Whether a weight is infinite: like an infinite input, it gives NaN or not by the order of operations. */
    private static boolean hasInfiniteWeights(byte[] model) {
        return Doubt.hasWeight(model, Double::isInfinite);
    }

    private static boolean hasNaN(Answer answer) {
        return answer.outputs.values().stream()
                .anyMatch(value -> value instanceof Tensor tensor && Doubt.has(tensor, Double::isNaN));
    }

    /** Whether outputs overflow. The order of operations decides which numbers overflow, so they cannot be compared. */
    private boolean overflows(Answer answer) {
        return answer.outputs.values().stream().anyMatch(value -> value instanceof Tensor tensor && overflows(tensor));
    }

    private boolean overflows(Tensor tensor) {
        return !(Doubt.largest(tensor, isOfProviders) < OVERFLOWING);
    }

    private TensorComparison comparison(Datum expected) {
        double largest = expected instanceof Tensor tensor ? Doubt.largest(tensor, isOfProviders) : 0;
        Tolerance standard = Tolerance.STANDARD;
        return new TensorComparison(
                new Tolerance(standard.relative(), Math.max(standard.absolute(), OF_THE_LARGEST * largest)));
    }

    private void count(String what, Outcome<Answer> fast, Outcome<Answer> plain) {
        if (fast.isAnswer() && plain.isAnswer()) {
            answered++;
        } else if (fast.isAnswer() && plain.refusal() != null) {
            optimisedOnly++;
        } else if (fast.refusal() != null) {
            refused++;
        } else {
            slow++;
        }
        showSlow(what + ", optimised,", fast);
        showSlow(what + ", as it stands,", plain);
    }

    /** Prints the first attempts that were stopped. */
    private void showSlow(String what, Outcome<Answer> outcome) {
        if (!outcome.isAnswer() && outcome.refusal() == null && stopped++ < SLOW_SHOWN) {
            System.out.println("too slow and stopped: " + what);
        }
    }

    private @Nullable Map<String, Datum> plainly(byte[] model, Inputs inputs) {
        Answer answer = run("what has changed", model, false, _ -> inputs).answer();
        return answer == null ? null : answer.outputs;
    }

    private Outcome<Answer> run(String what, byte[] model, boolean optimised, Function<List<ValueInfo>, Inputs> maker) {
        return Guard.outcome(what, cancellation -> {
            try (Session session = engine.session(model, options(cancellation, optimised))) {
                Inputs inputs = maker.apply(session.inputs());
                var kept = new LinkedHashMap<String, Datum>();
                Outputs outputs = session.run(
                        inputs, RunOptions.builder().cancellation(cancellation).build());
                outputs.names().forEach(name -> kept.put(name, outputs.datum(name)));
                return new Answer(inputs, kept);
            }
        });
    }

    private SessionOptions options(Cancellation cancellation, boolean optimised) {
        var builder = SessionOptions.builder().cancellation(cancellation);
        if (!optimised || isOfProviders) {
            builder.optimiser(Optimiser.Options.builder().level(Level.DISABLED).build());
        }
        if (!optimised) {
            builder.provider("cpu");
        }
        return builder.build();
    }

    /**
     * Asserts that few differences are excused as ill-conditioned: more would mean that conditioning is not the reason.
     */
    void requireFewIllConditioned() {
        int most = 1 + answered / ANSWERS_PER_ILL_CONDITIONED;
        int mostUndecided = 1 + answered / ANSWERS_PER_UNDECIDED;
        if (illConditioned > most || undecided > mostUndecided) {
            throw new AssertionError(illConditioned + " of " + answered
                    + " answers are ill-conditioned, of so many that may be " + most + ", and " + undecided
                    + " undecided, which may be " + mostUndecided);
        }
    }

    /** Asserts that a good model still runs as ever, so that no attempt has left damage behind. */
    void requireUnharmed(byte[] model) {
        Outcome<Answer> outcome = run("a good model", model, true, declared -> MadeInputs.of(declared, new Random(1)));
        if (!outcome.isAnswer()) {
            throw new AssertionError("a good model is refused: " + outcome.refusal(), outcome.refusal());
        }
    }

    @Override
    public String toString() {
        return answered + " answered alike, " + refused + " refused, " + optimisedOnly
                + " answered when optimised only, " + illConditioned + " ill-conditioned, " + undecided + " undecided, "
                + roundedElsewhere
                + " outputs rounded elsewhere, " + slow
                + " too slow and stopped";
    }

    @Override
    public void close() {
        engine.close();
    }
}

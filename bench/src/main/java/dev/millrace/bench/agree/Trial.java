package dev.millrace.bench.agree;

import org.jspecify.annotations.Nullable;

/**
 * What all sides made of the same inputs.
 *
 * @param inputs in words
 * @param ran whether ONNX Runtime ran
 * @param oursRan whether this engine did, optimised and not
 * @param difference what is wrong, or null where nothing is
 * @param refusal why whoever did not run did not
 */
record Trial(
        String inputs,
        boolean ran,
        boolean oursRan,
        @Nullable String difference,
        String refusal) {
    /** How much it says: all ran, one side did, none did. */
    int weight() {
        return (ran ? 1 : 0) + (oursRan ? 1 : 0);
    }

    boolean isWhole() {
        return ran && oursRan;
    }

    /** Whether the same inputs are worth a second run. */
    boolean isGood() {
        return isWhole() && difference == null;
    }

    /** The trial as that of inputs that were there before. */
    Trial repeated() {
        return difference == null ? this : new Trial(inputs, ran, oursRan, "run again, " + difference, refusal);
    }
}

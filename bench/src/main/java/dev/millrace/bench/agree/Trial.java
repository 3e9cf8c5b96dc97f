package dev.millrace.bench.agree;

import org.jspecify.annotations.Nullable;

/**
 * The comparison of all sides on the same inputs.
 *
 * @param inputs the inputs in words
 * @param ran whether ONNX Runtime ran
 * @param oursRan whether this engine did, optimised and not
 * @param difference the difference, or null if there is none
 * @param refusal the reason why a side did not run
 */
record Trial(
        String inputs,
        boolean ran,
        boolean oursRan,
        @Nullable String difference,
        String refusal) {
    /** Returns how telling the trial is: 2 if all ran, 1 if one side did, 0 if none did. */
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

    /** Returns the trial, described as a repetition of earlier inputs. */
    Trial repeated() {
        return difference == null ? this : new Trial(inputs, ran, oursRan, "run again, " + difference, refusal);
    }
}

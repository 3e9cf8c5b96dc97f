package dev.millrace.bench.agree;

import dev.millrace.graph.tensor.Datum;
import dev.millrace.session.Inputs;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What all sides made of the same inputs.
 *
 * @param answers what the others are held against: ONNX Runtime's answers, else those of the plain session
 * @param ran whether ONNX Runtime ran
 * @param oursRan whether this engine did, optimised and not
 * @param difference what is wrong, or null where nothing is
 * @param refusal why whoever did not run did not
 */
record Trial(
        Inputs inputs,
        @Nullable Map<String, Datum> answers,
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
}

package dev.millrace.kernels.recurrent;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import java.util.List;

/**
 * The computation of a step in one kind of layer: products of the state with parts of its weights, each followed by a
 * kernel over the gates.
 *
 * @param kind the name of this kind of layer
 * @param gates the number of groups in a row of gates
 * @param parts the parts of a step, in order
 * @param apart whether the products have rows of gates of their own, with biases of their own
 * @param hasCells whether units have cells beside their states
 * @param peepholes whether gates read the cells
 */
record RecurrentCell(String kind, int gates, List<Part> parts, boolean apart, boolean hasCells, boolean peepholes) {
    /**
     * A product and the kernel that follows it.
     *
     * @param first the first gate of the product
     * @param count the number of its gates
     * @param ofOther whether the factor is the further numbers rather than the state
     */
    record Part(int first, int count, boolean ofOther, CompiledKernel kernel) {}

    /** Returns a name that is different for cells whose weights are packed in different layouts. */
    String layout() {
        return gates + " gates one by one" + (apart ? " apart" : "");
    }

    static RecurrentCell lstm(KernelSet kernels, LstmStep.Variant variant) {
        Part all = new Part(0, 4, false, kernels.kernel(variant.key()));
        return new RecurrentCell("lstm", 4, List.of(all), false, true, variant.peepholes());
    }

    static RecurrentCell rnn(KernelSet kernels, RnnStep.Variant variant) {
        Part all = new Part(0, 1, false, kernels.kernel(variant.key()));
        return new RecurrentCell("rnn", 1, List.of(all), false, false, false);
    }

    static RecurrentCell gru(KernelSet kernels, GruVariant variant) {
        if (variant.resetAfter()) {
            Part all = new Part(0, 3, false, kernels.kernel(variant.key(GruStep.Part.WHOLE)));
            return new RecurrentCell("gru reset after", 3, List.of(all), true, false, false);
        }
        Part gates = new Part(0, 2, false, kernels.kernel(variant.key(GruStep.Part.GATES)));
        Part state = new Part(2, 1, true, kernels.kernel(variant.key(GruStep.Part.STATE)));
        return new RecurrentCell("gru", 3, List.of(gates, state), false, false, false);
    }
}

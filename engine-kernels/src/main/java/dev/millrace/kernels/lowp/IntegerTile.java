package dev.millrace.kernels.lowp;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.Target;
import dev.millrace.kernels.gemm.Activation;

/**
 * Columns of tiles: f(A, B, C, terms, stride, count), where count is that of the panels, or of the tiles of
 * a column where rows are windows. Each tile is {@code rows} of A, {@code stride} bytes
 * apart, times a packed panel of B of {@code vectors} width; the kernel goes down the rows, the last tiles perhaps being
 * lower by one, then on to the next panel.
 * terms is a block as in {@link TermBlock}.
 */
final class IntegerTile implements KernelFamily {
    static final int MAX_ROWS = 6;
    static final int MAX_VECTORS = 4;
    static final int MAX_FOURS = (1 << 20) - 1;

    static final String NAME = "gemm.s8";

    /**
     * One member of the family.
     *
     * @param form of the rows of A
     * @param rows of a tile
     * @param low whether tiles of one row less follow
     * @param vectors in a row of a tile
     * @param masked whether the last vector is written in part
     * @param zeros whether B has zero points
     * @param bias whether a number per column is added
     * @param scales whether there is a scale for each column rather than one for all
     * @param activation after the bias, for floats only
     * @param windows whether rows of A are strips apart from one another; then there is one panel
     * @param cut whether scaled sums may be no ints, for bytes only
     */
    record Variant(
            IntegerDot dot,
            RowForm form,
            int rows,
            boolean low,
            int vectors,
            boolean masked,
            boolean zeros,
            QuantisedOutput output,
            boolean bias,
            boolean scales,
            Activation activation,
            boolean windows,
            boolean cut) {

        KernelKey key() {
            return KernelKey.of(NAME)
                    .with("dot", dot)
                    .with("form", form)
                    .with("rows", rows)
                    .with("low", low ? 1 : 0)
                    .with("vectors", vectors)
                    .with("masked", masked ? 1 : 0)
                    .with("zeros", zeros ? 1 : 0)
                    .with("output", output)
                    .with("bias", bias ? 1 : 0)
                    .with("scales", scales ? 1 : 0)
                    .with("activation", activation)
                    .with("windows", windows ? 1 : 0)
                    .with("cut", cut ? 1 : 0);
        }

        static Variant of(KernelKey key, Target target) {
            key.onlyHas(
                    "dot",
                    "form",
                    "rows",
                    "low",
                    "vectors",
                    "masked",
                    "zeros",
                    "output",
                    "bias",
                    "scales",
                    "activation",
                    "windows",
                    "cut");
            IntegerDot dot = key.oneOf("dot", IntegerDot.values());
            if (dot == IntegerDot.WHOLE && !IntegerDot.hasWhole(target)) {
                throw new IllegalArgumentException(
                        "kernel key " + key + ": the parameter dot is whole, which " + target.name() + " cannot do");
            }
            RowForm form = key.oneOf("form", RowForm.values());
            int zeros = key.number("zeros", 0, 1);
            if (form == RowForm.GIVEN && (dot.isSplit() || zeros == 1)) {
                throw new IllegalArgumentException("kernel key " + key + ": the parameter form is given, but " + dot
                        + (zeros == 1 ? " with zero points" : "") + " wants packed rows");
            }
            boolean windows = key.number("windows", 0, 1) == 1;
            if (windows && form != RowForm.GIVEN) {
                throw new IllegalArgumentException(
                        "kernel key " + key + ": the parameter windows is 1, but rows are packed");
            }
            QuantisedOutput output = key.oneOf("output", QuantisedOutput.values());
            Activation activation = key.oneOf("activation", Activation.values());
            if (output != QuantisedOutput.F32 && activation != Activation.NONE) {
                throw new IllegalArgumentException(
                        "kernel key " + key + ": the parameter activation must be none unless the output is f32");
            }
            if (windows && dot.hasExcess()) {
                throw new IllegalArgumentException("kernel key " + key
                        + ": the parameter windows is 1, but of rows that are windows nothing is cut");
            }
            int rows = key.number("rows", 1, dot.rows());
            return new Variant(
                    dot,
                    form,
                    rows,
                    key.number("low", 0, rows > 1 && !windows ? 1 : 0) == 1,
                    key.number("vectors", 1, IntegerDot.vectors(target)),
                    key.number("masked", 0, 1) == 1,
                    zeros == 1,
                    output,
                    key.number("bias", 0, 1) == 1,
                    key.number("scales", 0, 1) == 1,
                    activation,
                    windows,
                    key.number("cut", 0, output.isQuantised() ? 1 : 0) == 1);
        }
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        return new IntegerTileWriter(key.toString(), target, Variant.of(key, target)).program();
    }
}

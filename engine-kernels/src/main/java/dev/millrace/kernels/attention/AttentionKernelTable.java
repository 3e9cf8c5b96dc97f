package dev.millrace.kernels.attention;

import dev.millrace.codegen.key.KernelCache;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.kernels.gemm.GemmPack;
import dev.millrace.kernels.gemm.GemmShape;
import java.util.ArrayList;
import java.util.List;

/** The kernels of an attention, found without making keys. */
final class AttentionKernelTable {
    /** Whether nothing but the scale is done to scores. */
    final boolean scaleOnly;

    final CompiledKernel maxima;
    final CompiledKernel weights;
    final CompiledKernel finish;
    final CompiledKernel packKeys;
    final CompiledKernel dots;
    final PanelProduct product;
    private final KernelCache<RowType> readings;
    private final List<CompiledKernel> packValues;
    private final List<CompiledKernel> weighted;

    AttentionKernelTable(KernelSet set, ScoreRule rule, FinishRows.Empty empty) {
        scaleOnly = rule.isPlain();
        maxima = set.kernel(ScoreMaxima.key(rule));
        weights = set.kernel(ScoreWeights.key(scaleOnly, rule.sinks()));
        finish = set.kernel(FinishRows.key(rule.sinks() ? FinishRows.Empty.ZEROS : empty));
        packKeys = set.kernel(KeyPack.key());
        dots = set.kernel(RowDots.key());
        product = new PanelProduct(set);
        readings = new KernelCache<>(set, RowType::reading);
        List<KernelKey> packs = new ArrayList<>();
        for (int vectors = 1; vectors <= GemmShape.of(set.target()).vectors(); vectors++) {
            packs.add(GemmPack.key(vectors));
        }
        packValues = set.kernels(packs);
        List<KernelKey> strips = new ArrayList<>();
        for (int rows = 1; rows <= WeightedRows.MAX_ROWS; rows++) {
            for (int vectors = 1; vectors <= WeightedRows.MAX_VECTORS; vectors++) {
                int width = Math.min(vectors, WeightedRows.widest(rows));
                strips.add(WeightedRows.key(rows, width, false));
                strips.add(WeightedRows.key(rows, width, true));
            }
        }
        weighted = set.kernels(strips);
    }

    /** The kernel that converts stored rows to floats. */
    CompiledKernel reading(RowType type) {
        return readings.kernel(type);
    }

    CompiledKernel packValues(int vectors) {
        return packValues.get(vectors - 1);
    }

    CompiledKernel weighted(int rows, int vectors, boolean masked) {
        return weighted.get(2 * ((rows - 1) * WeightedRows.MAX_VECTORS + vectors - 1) + (masked ? 1 : 0));
    }
}

package dev.millrace.kernels;

import dev.millrace.codegen.key.KernelFamilies;
import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.kernels.attention.AttentionFamilies;
import dev.millrace.kernels.axis.RankFamilies;
import dev.millrace.kernels.cast.CastFamilies;
import dev.millrace.kernels.conv.ConvFamilies;
import dev.millrace.kernels.conv.bytes.ByteConvFamilies;
import dev.millrace.kernels.conv.nchw.PlaneFamilies;
import dev.millrace.kernels.expression.ExpressionFamilies;
import dev.millrace.kernels.fft.SpectrumFamilies;
import dev.millrace.kernels.gather.GatherFamilies;
import dev.millrace.kernels.gemm.GemmFamilies;
import dev.millrace.kernels.layout.LayoutFamilies;
import dev.millrace.kernels.lowp.IntGemmFamilies;
import dev.millrace.kernels.norm.NormFamilies;
import dev.millrace.kernels.pool.PoolFamilies;
import dev.millrace.kernels.quantise.QuantiseFamilies;
import dev.millrace.kernels.recurrent.RecurrentFamilies;
import dev.millrace.kernels.reduce.ReduceFamilies;
import dev.millrace.kernels.resize.ResizeFamilies;
import dev.millrace.kernels.softmax.SoftmaxFamilies;
import org.jspecify.annotations.Nullable;

/**
 * All families that keys may name, found by the first word of the name in the package that has them. A package is asked,
 * and a family loaded, when a key first names it, for a process starts with few.
 */
final class Families implements KernelFamilies {
    static final Families ALL = new Families();

    private Families() {}

    @Override
    public @Nullable KernelFamily named(String name) {
        int dot = name.indexOf('.');
        return switch (dot < 0 ? name : name.substring(0, dot)) {
            case "attention" -> new AttentionFamilies().named(name);
            case "conv" -> {
                KernelFamily floats = new ConvFamilies().named(name);
                yield floats != null ? floats : new ByteConvFamilies().named(name);
            }
            case "convert" -> new CastFamilies().named(name);
            case "dequantise", "quantise", "range" -> new QuantiseFamilies().named(name);
            case "elementwise" -> new ExpressionFamilies().named(name);
            case "gemm" -> {
                KernelFamily floats = new GemmFamilies().named(name);
                yield floats != null ? floats : new IntGemmFamilies().named(name);
            }
            case "layout" -> new LayoutFamilies().named(name);
            case "norm" -> new NormFamilies().named(name);
            case "plane" -> new PlaneFamilies().named(name);
            case "recurrent" -> new RecurrentFamilies().named(name);
            case "reduce" -> new ReduceFamilies().named(name);
            case "resize" -> new ResizeFamilies().named(name);
            case "rows" -> new GatherFamilies().named(name);
            case "select" -> new RankFamilies().named(name);
            case "softmax" -> new SoftmaxFamilies().named(name);
            case "spectrum" -> new SpectrumFamilies().named(name);
            case "window" -> new PoolFamilies().named(name);
            default -> null;
        };
    }
}

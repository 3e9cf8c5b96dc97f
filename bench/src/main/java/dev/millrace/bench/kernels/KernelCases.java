package dev.millrace.bench.kernels;

import java.util.List;
import java.util.stream.Stream;

/** All cases, a class for each family. */
final class KernelCases {
    private KernelCases() {}

    static List<KernelCase> all() {
        return Stream.of(
                        GemmCases.all(),
                        ElementwiseCases.all(),
                        AttentionCases.all(),
                        ConvCases.all(),
                        ByteConvCases.all(),
                        RecurrentCases.all(),
                        RowCases.all(),
                        ResizeCases.all(),
                        SelectCases.all(),
                        LayoutCases.all(),
                        GemmLayoutCases.all(),
                        QuantisedCases.all(),
                        QuantisationCases.all(),
                        BroadcastCases.all(),
                        NormCases.all(),
                        CastCases.all(),
                        ReduceCases.all(),
                        ExpressionReductionCases.all())
                .flatMap(List::stream)
                .toList();
    }
}

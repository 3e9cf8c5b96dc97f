package dev.millrace.kernels;

import dev.millrace.kernels.attention.AttentionCase;
import dev.millrace.kernels.gemm.GemmCase;
import dev.millrace.kernels.quantised.QuantisedGemmCase;
import java.util.List;

/** All families under test. */
final class FamilyCases {
    static final List<FamilyCase> ALL =
            List.of(new ElementwiseCase(), new GemmCase(), new AttentionCase(), new QuantisedGemmCase());

    private FamilyCases() {}
}

package dev.millrace.kernels;

import java.util.List;

/** All families under test. */
final class FamilyCases {
    static final List<FamilyCase> ALL = List.of(
            new ElementwiseCase(), //
            new GemmCase());

    private FamilyCases() {}
}

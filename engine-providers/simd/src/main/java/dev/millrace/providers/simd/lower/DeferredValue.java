package dev.millrace.providers.simd.lower;

/** How a value will be computed that is not in memory yet, so that what reads it can be fused with it. */
sealed interface DeferredValue permits DeferredElementwise, FusionRoot {}

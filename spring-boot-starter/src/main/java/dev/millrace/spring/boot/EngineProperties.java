package dev.millrace.spring.boot;

import java.io.File;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The properties of the engine.
 *
 * @param threads Threads that can work on one run; 0 for as many as the container allows.
 * @param memoryBudget Limit for weights and kept intermediate values of all sessions together. No limit by default.
 * @param deviceMemory Limit for one kind of memory of one device. No limit by default.
 * @param contextCache Folder of compiled models, which sessions of model files read and fill.
 * @param contextCacheSize Size to which the folder of compiled models may grow.
 * @param keptCode File that keeps the machine code of kernels for the next start, unless the system property millrace.code names one.
 * @param closeTimeout Time that sessions have at shutdown to finish the requests that they have accepted.
 */
public record EngineProperties(
        @DefaultValue("0") int threads,
        @Nullable DataSize memoryBudget,
        @Nullable DataSize deviceMemory,
        @Nullable File contextCache,
        @DefaultValue("4GB") DataSize contextCacheSize,
        @Nullable File keptCode,
        @DefaultValue("25s") Duration closeTimeout) {}

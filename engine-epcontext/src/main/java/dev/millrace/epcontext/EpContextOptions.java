package dev.millrace.epcontext;

import dev.millrace.graph.EngineException;
import dev.millrace.providers.spi.WeightlessMode;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Options for writing and reading context models.
 *
 * @param enable whether to write a context model while the session is created
 * @param filePath the context model to write, by default {@code <source>_ctx.onnx} beside the source; where none is
 *     written, any path in the folder of the context binaries, if they do not lie beside the model's file. The empty path
 *     is the same as none
 * @param embedMode 1 embeds context binaries in the model, 0 writes them to files beside it
 * @param nodeNamePrefix the prefix of the names of context nodes and of their partitions, so that nodes of
 *     several models can be merged into one
 * @param externalInitializersFile the file beside the context model that takes its initializers; null keeps them inside
 * @param share whether the session is a member of the group that is compiled into one context binary in this folder
 * @param stopShare whether the session is the last of that group, after which all of it is written
 * @param group the group that the session is a member of, or null
 * @param source provides the context binaries that are not embedded in models, or null to look
 *     for them in the model's folder
 * @param verification when the content of context binaries is verified; weights that binaries name are verified by
 *     their digests when a session is created, unless it is {@link Verification#NEVER}
 * @param weightless which weights the context binaries name in the source model, rather than holding them
 * @param sourceModel the source model of a context model whose binaries name weights, or null for the one that the
 *     context model names, in its own folder
 * @param sourceBytes the source model in memory, which must not change while sessions use it, or null
 */
public record EpContextOptions(
        boolean enable,
        @Nullable Path filePath,
        int embedMode,
        String nodeNamePrefix,
        @Nullable String externalInitializersFile,
        boolean share,
        boolean stopShare,
        @Nullable ContextGroup group,
        @Nullable BinarySource source,
        Verification verification,
        WeightlessMode weightless,
        @Nullable Path sourceModel,
        @Nullable MemorySegment sourceBytes) {
    private static final EpContextOptions DEFAULTS = builder().build();

    public EpContextOptions {
        checkNotNull(nodeNamePrefix, "nodeNamePrefix");
        checkNotNull(verification, "verification");
        checkNotNull(weightless, "weightless");
        if (embedMode != 0 && embedMode != 1) {
            throw EngineException.invalidArgument(
                    "embedMode is " + embedMode + "; it is 0 for a file beside the model or 1 for inside of it");
        }
        if (group != null && (share || stopShare)) {
            throw EngineException.invalidArgument("a session is one of a group that is named, or one of those with"
                    + " ep.share_ep_contexts, but not both");
        }
        if (filePath != null && filePath.toString().isEmpty()) {
            filePath = null;
        }
        if (sourceModel != null && sourceBytes != null) {
            throw EngineException.invalidArgument("the source model is named, or its bytes are given, but not both");
        }
        if (sourceModel != null && sourceModel.toString().isEmpty()) {
            sourceModel = null;
        }
        if (externalInitializersFile != null && externalInitializersFile.isEmpty()) {
            externalInitializersFile = null;
        }
    }

    private static void checkNotNull(@Nullable Object value, String option) {
        if (value == null) {
            throw EngineException.invalidArgument("option '" + option + "' is null");
        }
    }

    /** Whether these options name the source of weightless context models, as a file or in memory. */
    public boolean namesSource() {
        return sourceModel != null || sourceBytes != null;
    }

    /** Returns options that write no context model. */
    public static EpContextOptions defaults() {
        return DEFAULTS;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder that starts from these options. */
    public Builder toBuilder() {
        return builder()
                .enable(enable)
                .filePath(filePath)
                .embedMode(embedMode)
                .nodeNamePrefix(nodeNamePrefix)
                .externalInitializersFile(externalInitializersFile)
                .share(share)
                .stopShare(stopShare)
                .group(group)
                .source(source)
                .verification(verification)
                .weightless(weightless)
                .sourceModel(sourceModel)
                .sourceBytes(sourceBytes);
    }

    /** A builder of options for context models. Every option has a default. */
    public static final class Builder {
        private boolean enable;
        private @Nullable Path filePath;
        private int embedMode;
        private String nodeNamePrefix = "";
        private @Nullable String externalInitializersFile;
        private boolean share;
        private boolean stopShare;
        private @Nullable ContextGroup group;
        private @Nullable BinarySource source;
        private Verification verification = Verification.AT_ONCE;
        private WeightlessMode weightless = WeightlessMode.NONE;
        private @Nullable Path sourceModel;
        private @Nullable MemorySegment sourceBytes;

        private Builder() {}

        public Builder enable(boolean value) {
            enable = value;
            return this;
        }

        public Builder filePath(@Nullable Path value) {
            filePath = value;
            return this;
        }

        public Builder embedMode(int value) {
            embedMode = value;
            return this;
        }

        public Builder nodeNamePrefix(String value) {
            nodeNamePrefix = value;
            return this;
        }

        public Builder externalInitializersFile(@Nullable String value) {
            externalInitializersFile = value;
            return this;
        }

        public Builder share(boolean value) {
            share = value;
            return this;
        }

        public Builder stopShare(boolean value) {
            stopShare = value;
            return this;
        }

        public Builder group(@Nullable ContextGroup value) {
            group = value;
            return this;
        }

        public Builder source(@Nullable BinarySource value) {
            source = value;
            return this;
        }

        public Builder verification(Verification value) {
            verification = value;
            return this;
        }

        /** Sets which weights the context binaries name in the source model, rather than holding them. */
        public Builder weightless(WeightlessMode value) {
            weightless = value;
            return this;
        }

        /** Sets the source model of a context model whose binaries name weights. */
        public Builder sourceModel(@Nullable Path value) {
            sourceModel = value;
            return this;
        }

        /** Sets the source model in memory, which must not change while sessions use it. */
        public Builder sourceBytes(@Nullable MemorySegment value) {
            sourceBytes = value;
            return this;
        }

        public EpContextOptions build() {
            return new EpContextOptions(
                    enable,
                    filePath,
                    embedMode,
                    nodeNamePrefix,
                    externalInitializersFile,
                    share,
                    stopShare,
                    group,
                    source,
                    verification,
                    weightless,
                    sourceModel,
                    sourceBytes);
        }
    }
}

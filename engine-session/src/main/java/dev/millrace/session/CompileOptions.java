package dev.millrace.session;

import dev.millrace.epcontext.BinaryTarget;
import dev.millrace.epcontext.ContextGroup;
import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.providers.spi.WeightlessMode;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.session.util.Failures;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a model is compiled. An immutable snapshot; {@link #builder()} makes one.
 *
 * @param session the options of the sessions that the model is compiled for. Their options for context models hold
 *     here, except the path; {@code disableModelCompile} does not
 * @param binaryFolder the folder of the context binary, by default beside the model
 * @param binaryName the model name from which the name of its context binary is made
 * @param binaryTarget the target that takes the context binary in place of a file, or null
 * @param externalFrom the size in bytes from which initializers go to the file for them, if there is one
 * @param placement says where initializers are stored, or null to keep all inside
 * @param errorIfNothingCompiled whether to fail if no provider compiled a node; otherwise the model is
 *     written as the optimiser left it
 * @param errorIfOutputExists whether to fail if the output exists; otherwise it is replaced
 * @param progress called when a phase has ended, on the thread that compiles
 */
public record CompileOptions(
        SessionOptions session,
        @Nullable Path binaryFolder,
        @Nullable String binaryName,
        @Nullable BinaryTarget binaryTarget,
        long externalFrom,
        @Nullable InitializerPlacement placement,
        boolean errorIfNothingCompiled,
        boolean errorIfOutputExists,
        @Nullable Consumer<CompileProgress> progress) {

    public CompileOptions {
        if (externalFrom < 0) {
            throw EngineException.invalidArgument("externalFrom is " + externalFrom + "; it is at least 0");
        }
        if (binaryTarget != null && session.epContext().embedMode() == 1) {
            throw EngineException.invalidArgument(
                    "context binaries stand inside of the model, or a target takes them, but not both");
        }
        if (placement != null && session.epContext().externalInitializersFile() != null) {
            throw EngineException.invalidArgument(
                    "initializers go to a file of their own, or where a placement says, but not both");
        }
    }

    public static CompileOptions defaults() {
        return builder().build();
    }

    public static Builder builder() {
        return of(SessionOptions.defaults());
    }

    /** Returns a builder of options to compile for sessions of these options, which stay as they are. */
    public static Builder of(SessionOptions session) {
        return new Builder(Failures.requireArgument(session, "session"));
    }

    public Builder toBuilder() {
        Builder builder = of(session);
        builder.binaryFolder = binaryFolder;
        builder.binaryName = binaryName;
        builder.binaryTarget = binaryTarget;
        builder.externalFrom = externalFrom;
        builder.placement = placement;
        builder.errorIfNothingCompiled = errorIfNothingCompiled;
        builder.errorIfOutputExists = errorIfOutputExists;
        builder.progress = progress;
        return builder;
    }

    /** A builder of compile options. Every option has a default. */
    public static final class Builder {
        private SessionOptions session;
        private final EpContextOptions.Builder context;
        private @Nullable Path binaryFolder;
        private @Nullable String binaryName;
        private @Nullable BinaryTarget binaryTarget;
        private long externalFrom;
        private @Nullable InitializerPlacement placement;
        private boolean errorIfNothingCompiled;
        private boolean errorIfOutputExists;
        private @Nullable Consumer<CompileProgress> progress;

        private Builder(SessionOptions session) {
            this.session = session.toBuilder().disableModelCompile(false).build();
            this.context = session.epContext().toBuilder();
        }

        /** Sets whether the context binary is embedded in the model, rather than written to a file beside it. */
        public Builder embed(boolean value) {
            context.embedMode(value ? 1 : 0);
            return this;
        }

        /** Sets which weights the context binary names in the source model, rather than holding them. */
        public Builder weightless(WeightlessMode value) {
            context.weightless(value);
            return this;
        }

        /** Sets the prefix of the names of context nodes and their partitions. */
        public Builder nodeNamePrefix(String value) {
            context.nodeNamePrefix(value);
            return this;
        }

        /**
         * Makes the model a member of a group that is compiled into one context binary, and written once all members
         * are there. Memory that the model is read from stays as it is until then.
         */
        public Builder group(@Nullable ContextGroup value) {
            context.group(value);
            return this;
        }

        /**
         * Sets the place of the context binary, {@code <modelName>_<provider>.bin}, for output
         * that is no file, or another folder.
         */
        public Builder binary(Path folder, String modelName) {
            binaryFolder = Failures.requireArgument(folder, "folder");
            binaryName = Failures.requireArgument(modelName, "modelName");
            return this;
        }

        /**
         * Sets the target of the context binary, {@code <modelName>_<provider>.bin}, in place of
         * a file; null for a file.
         */
        public Builder binaryTarget(@Nullable BinaryTarget target, String modelName) {
            binaryTarget = target;
            binaryName = Failures.requireArgument(modelName, "modelName");
            return this;
        }

        /**
         * Writes initializers of {@code fromBytes} bytes and more to this file, beside the model
         * or else beside the context binary.
         */
        public Builder externalInitializers(@Nullable String fileName, long fromBytes) {
            context.externalInitializersFile(fileName);
            externalFrom = fromBytes;
            return this;
        }

        public Builder placement(@Nullable InitializerPlacement value) {
            placement = value;
            return this;
        }

        public Builder errorIfNothingCompiled(boolean value) {
            errorIfNothingCompiled = value;
            return this;
        }

        public Builder errorIfOutputExists(boolean value) {
            errorIfOutputExists = value;
            return this;
        }

        /** Sets the optimisation level; by default that of the session's options. */
        public Builder level(Level value) {
            Optimiser.Options changed =
                    session.optimiser().toBuilder().level(value).build();
            session = session.toBuilder().optimiser(changed).build();
            return this;
        }

        public Builder progress(@Nullable Consumer<CompileProgress> value) {
            progress = value;
            return this;
        }

        /** Sets a cancellation that stops the compilation. Nothing is written then. */
        public Builder cancellation(Cancellation value) {
            session = session.toBuilder().cancellation(value).build();
            return this;
        }

        public CompileOptions build() {
            EpContextOptions kept = context.enable(true).filePath(null).build();
            return new CompileOptions(
                    session.toBuilder().epContext(kept).build(),
                    binaryFolder,
                    binaryName,
                    binaryTarget,
                    externalFrom,
                    placement,
                    errorIfNothingCompiled,
                    errorIfOutputExists,
                    progress);
        }
    }
}

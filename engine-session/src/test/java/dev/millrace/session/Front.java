package dev.millrace.session;

import dev.millrace.graph.EngineException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The two ways that a user has to a context model, which behave alike. */
enum Front {
    /** A session with {@code ep.context_enable}. */
    OPTIONS {
        @Override
        List<String> make(Engine engine, Path source, @Nullable Path target, SessionOptions options) {
            try (Session session = engine.session(source, enabled(target, options))) {
                return session.report().notes();
            }
        }

        @Override
        void make(Engine engine, byte[] source, Path target, SessionOptions options) {
            engine.session(source, enabled(target, options)).close();
        }
    },
    /** The compiler, with the flag by which it replaces nothing either. */
    COMPILER {
        @Override
        List<String> make(Engine engine, Path source, @Nullable Path target, SessionOptions options) {
            ModelOutput output = target == null ? ModelOutput.besideSource() : ModelOutput.file(target);
            return compiler(engine, options)
                    .compile(ModelInput.file(source), output)
                    .notes();
        }

        @Override
        void make(Engine engine, byte[] source, Path target, SessionOptions options) {
            compiler(engine, options).compile(ModelInput.buffer(ByteBuffer.wrap(source)), ModelOutput.file(target));
        }
    };

    private static SessionOptions enabled(@Nullable Path target, SessionOptions options) {
        return options.toBuilder()
                .epContext(context -> context.enable(true).filePath(target))
                .build();
    }

    private static ModelCompiler compiler(Engine engine, SessionOptions options) {
        return engine.compiler(
                CompileOptions.of(options).errorIfOutputExists(true).build());
    }

    /**
     * Makes the context model of a file.
     *
     * @param target null for the default place
     * @return the notes of the report
     * @throws EngineException where it cannot be made
     */
    abstract List<String> make(Engine engine, Path source, @Nullable Path target, SessionOptions options);

    /** Makes the context model of a model in memory. */
    abstract void make(Engine engine, byte[] source, Path target, SessionOptions options);
}

package dev.millrace.session.runtime;

import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.epcontext.Verification;
import dev.millrace.epcontext.cache.ContextCache;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.FileUse;
import dev.millrace.session.Engine;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.SessionReport.CacheUse;
import dev.millrace.session.prepare.Optimised;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes the session of a model file by way of a cache: from what was compiled before, or from the source, leaving what is
 * compiled behind. Whatever goes wrong with the cache, the session is made without it. Used once.
 */
final class CachedSession {
    private final EngineResources engine;
    private final SessionOptions options;
    private final ContextCache cache;
    /** Why what is kept was not taken. */
    private @Nullable String refusal;

    CachedSession(EngineResources engine, SessionOptions options, ContextCache cache) {
        this.engine = engine;
        this.options = options;
        this.cache = cache;
    }

    /** Whether what the options ask for can come from a cache. */
    static boolean suits(SessionOptions options) {
        return !options.epContext().enable()
                && !options.disableModelCompile()
                && options.externalData().isEmpty();
    }

    OpenSession open(Path source) {
        engine.checkOpen();
        if (!Files.isRegularFile(source)) {
            return fromSource(source);
        }
        try {
            cache.checkOwn();
        } catch (IOException e) {
            return uncached(source, "is not used: " + e.getMessage());
        }
        ContextCache.Kept kept;
        try {
            kept = cache.kept(source, settings());
        } catch (IOException | RuntimeException | LinkageError _) {
            // it says what is wrong with the file, or with a provider
            return fromSource(source);
        }
        OpenSession session = load(kept, source);
        if (session != null) {
            return session;
        }
        try {
            return kept.make(making -> {
                // somebody else may have made it meanwhile
                OpenSession made = load(kept, source);
                return made == null ? compile(kept, making, source) : made;
            });
        } catch (IOException e) {
            return uncached(source, cannotKeep(e));
        }
    }

    private String settings() {
        return Optimised.fingerprint(options.optimiser()) + " "
                + engine.environment()
                        .identity(BuildSettings.of(options, engine.threads()).providers()) + " "
                + System.getProperty("os.arch") + " "
                + (options.externalDataFolder() == null
                        ? ""
                        : options.externalDataFolder().toAbsolutePath() + " ")
                + (options.strict() ? "strict " : "")
                + Engine.class.getPackage().getImplementationVersion();
    }

    /** The session of what is kept, or null where that is missing, out of date, damaged or made for another machine. */
    private @Nullable OpenSession load(ContextCache.Kept kept, Path source) {
        if (!kept.isFresh()) {
            return null;
        }
        try {
            // nobody writes into the cache's files: they are replaced
            FileUse use = options.fileUse() == FileUse.READ ? FileUse.READ : FileUse.MAP;
            var builder = new SessionBuilder(
                    engine,
                    options.toBuilder()
                            .failOnSuboptimalModel(true)
                            .fileUse(use)
                            .epContext(options.epContext().toBuilder()
                                    .verification(verification())
                                    .build())
                            .build());
            OpenSession session = builder.fromCache(kept.model(), source);
            session.noteCache(CacheUse.HIT, List.of());
            kept.used();
            return session;
        } catch (EngineException e) {
            if (e.status() == Status.MODEL_LOAD_CANCELED) {
                throw e;
            }
            refusal = e.getMessage();
            return null;
        }
    }

    /** Nobody but the user can have written what is in a folder of his own, so that a checksum tells what there is to tell. */
    private Verification verification() {
        Verification wanted = options.epContext().verification();
        return wanted == Verification.AT_ONCE && !cache.isShared() ? Verification.CHECKSUM : wanted;
    }

    private OpenSession compile(ContextCache.Kept kept, ContextCache.Kept.Making making, Path source) {
        if (refusal != null) {
            System.getLogger(CachedSession.class.getName())
                    .log(System.Logger.Level.INFO, "compiling " + source + " again: " + refusal);
        }
        try {
            making.begin();
            EpContextOptions context = EpContextOptions.builder()
                    .enable(true)
                    .filePath(kept.model())
                    .verification(verification())
                    .build();
            var builder = new SessionBuilder(
                    engine, options.toBuilder().epContext(context).build());
            OpenSession session = builder.fromFile(source);
            boolean written = session.report().contextModel() != null;
            session.noteCache(written ? CacheUse.FILLED : CacheUse.NONE, List.of());
            if (written) {
                try {
                    making.end(builder.data());
                } catch (IOException e) {
                    session.noteCache(CacheUse.FAILED, List.of(failure(cannotKeep(e))));
                }
            }
            return session;
        } catch (EngineException | IOException e) {
            if (e instanceof EngineException refused && refused.status() == Status.MODEL_LOAD_CANCELED) {
                throw refused;
            }
            return uncached(source, cannotKeep(e));
        }
    }

    private OpenSession uncached(Path source, String why) {
        OpenSession session = fromSource(source);
        session.noteCache(CacheUse.FAILED, List.of(failure(why)));
        return session;
    }

    private static String cannotKeep(Exception why) {
        return "cannot keep what was compiled: " + why.getMessage();
    }

    private String failure(String why) {
        String failure = "the context cache " + cache.folder() + " " + why;
        System.getLogger(CachedSession.class.getName()).log(System.Logger.Level.WARNING, failure);
        return failure;
    }

    private OpenSession fromSource(Path source) {
        return new SessionBuilder(engine, options).fromFile(source);
    }
}

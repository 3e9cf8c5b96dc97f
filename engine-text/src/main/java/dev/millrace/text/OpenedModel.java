package dev.millrace.text;

import dev.millrace.session.Engine;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.generate.EncoderDecoder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of an encoder-decoder model that was opened from its folder.
 *
 * @param own the engine that is closed as well; null for one of the caller's
 */
record OpenedModel(@Nullable Engine own, EncoderDecoderFolder folder, List<Session> sessions, EncoderDecoder model)
        implements AutoCloseable {
    /**
     * Opens a model in an engine of its own.
     *
     * @param made makes the model of an open folder
     */
    static <T> T open(Path folder, BiFunction<@Nullable Engine, Engine, T> made) {
        ApiBoundary.requireArgument(folder, "folder");
        Engine engine = Engine.create();
        try {
            return made.apply(engine, engine);
        } catch (RuntimeException | Error e) {
            engine.close();
            throw e;
        }
    }

    static OpenedModel open(@Nullable Engine own, Engine engine, EncoderDecoderFolder folder, SessionOptions options) {
        var sessions = new ArrayList<Session>();
        try {
            sessions.add(engine.session(folder.encoder(), options));
            sessions.add(engine.session(folder.decoder(), options));
            if (folder.later() != null) {
                sessions.add(engine.session(folder.later(), options));
            }
            EncoderDecoder model = sessions.size() == 2
                    ? EncoderDecoder.of(sessions.get(0), sessions.get(1))
                    : EncoderDecoder.of(sessions.get(0), sessions.get(1), sessions.get(2));
            return new OpenedModel(own, folder, List.copyOf(sessions), model);
        } catch (RuntimeException | Error e) {
            sessions.forEach(Session::close);
            throw e;
        }
    }

    @Override
    public void close() {
        sessions.forEach(Session::close);
        if (own != null) {
            own.close();
        }
    }
}

package dev.millrace.spring.boot;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.session.Engine;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.core.io.ResourceLoader;

/**
 * Opens sessions as their properties say.
 *
 * @param engine returns the engine, which the first session needs
 */
record SessionOpener(Supplier<Engine> engine, ResourceLoader resources, List<SessionOptionsCustomizer> customizers) {
    /**
     * Opens a session and runs its warm-up.
     *
     * @param prefix the prefix of the properties
     */
    Session open(String name, String prefix, SessionProperties properties) {
        String property = prefix + ".model";
        String model = properties.model();
        if (model == null || model.isBlank()) {
            throw ModelOpenException.withoutModel(name, prefix);
        }
        try {
            SessionOptions.Builder options = properties.sessionOptions(name);
            customizers.forEach(each -> each.customize(name, options));
            Session session = ModelLocation.of(model, resources).session(engine.get(), options.build());
            return warmedUp(session, properties.warmUp());
        } catch (EngineException | IOException e) {
            throw new ModelOpenException(property, model, e);
        }
    }

    private static Session warmedUp(Session session, List<String> runs) {
        try {
            runs.forEach(shapes -> session.warmUp(shapes(shapes)));
            return session;
        } catch (RuntimeException | Error e) {
            session.close();
            throw e;
        }
    }

    private static Map<String, Shape> shapes(String text) {
        var shapes = new LinkedHashMap<String, Shape>();
        for (String part : text.strip().split("\\s+")) {
            int equals = part.lastIndexOf('=');
            String extents = part.substring(equals + 1);
            if (equals <= 0 || !extents.matches("(\\d+(x\\d+)*)?")) {
                throw EngineException.invalidArgument("'" + part + "' in a warm-up is no shape; write the input's name"
                        + " and its extents, like input_ids=1x128");
            }
            long[] sizes = extents.isEmpty()
                    ? new long[0]
                    : Arrays.stream(extents.split("x"))
                            .mapToLong(Long::parseLong)
                            .toArray();
            shapes.put(part.substring(0, equals), Shape.of(sizes));
        }
        return shapes;
    }
}

package dev.millrace.server.dashboard;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.inspect.Inspection;
import dev.millrace.inspect.InspectionJson;
import dev.millrace.inspect.ModelFacts;
import dev.millrace.server.model.LoadedVersion;
import dev.millrace.server.model.OpenedFile;
import dev.millrace.server.repository.ModelRepository;
import java.io.IOException;

/** The graphs of models that are served, and what the engine made of them. One file is read at a time, and nothing is kept. */
final class GraphAnswers {
    /** The most nodes that a browser is asked to draw. */
    private static final int MOST_NODES = 5000;

    private final ModelRepository repository;

    GraphAnswers(ModelRepository repository) {
        this.repository = repository;
    }

    /** Describes a version of a model by its file as it is now; returns JSON. */
    synchronized String describe(String name, String version) {
        LoadedVersion loaded = repository.acquire(name, version);
        try {
            OpenedFile opened = loaded.model().opened();
            if (opened == null) {
                throw EngineException.notImplemented("model '" + name + "' is an ensemble, whose graph is not drawn");
            }
            ModelFacts facts = ModelFacts.of(opened.file()).withoutFolders();
            String title = name + " · version " + loaded.version();
            return InspectionJson.of(new Inspection(title, facts, opened.session(), null, null), MOST_NODES);
        } catch (IOException e) {
            throw new EngineException(
                    Status.NO_SUCH_FILE, "the file of model '" + name + "' cannot be read any more: " + e, e);
        } finally {
            loaded.release();
        }
    }
}

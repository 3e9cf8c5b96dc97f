package dev.millrace.models.store;

import dev.millrace.graph.EngineException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A bucket of an object store. One thread uses it. Methods throw {@link EngineException} if the store refuses the request, and
 * {@link IOException} if it does not answer: what was fetched before is used then.
 */
public interface ObjectStore extends AutoCloseable {
    /**
     * Returns the facts of an object; null if the bucket has none of this name.
     *
     * @param version a version of the object; null for the latest one
     */
    @Nullable
    StoredObject find(String key, @Nullable String version) throws IOException;

    /** Lists the objects whose keys begin with a text. */
    List<StoredObject> list(String prefix) throws IOException;

    /** Opens the content of an object, which has not changed since its facts were told, from a byte on. */
    InputStream read(StoredObject object, long from) throws IOException;

    @Override
    void close();
}

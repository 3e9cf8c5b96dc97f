package dev.millrace.models;

import dev.millrace.models.store.ObjectStore;
import dev.millrace.models.store.ObjectStoreProvider;
import dev.millrace.models.store.StoreSettings;
import dev.millrace.models.store.StoredObject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A store {@code mem:} whose buckets are all the same. The services of the tests name it. */
public final class MemoryStore implements ObjectStoreProvider {
    static final TreeMap<String, byte[]> OBJECTS = new TreeMap<>();
    static final List<String> ASKED = new ArrayList<>();
    /** The bytes after which the next content is cut; negative for none. */
    static int cut = -1;

    static boolean unreachable;

    static void clear() {
        OBJECTS.clear();
        ASKED.clear();
        cut = -1;
        unreachable = false;
    }

    static void put(String key, String content) {
        OBJECTS.put(key, content.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String scheme() {
        return "mem";
    }

    @Override
    public ObjectStore open(String bucket, StoreSettings settings) {
        return new Bucket();
    }

    private static final class Bucket implements ObjectStore {
        private static void ask(String what) throws IOException {
            ASKED.add(what);
            if (unreachable) {
                throw new IOException("the store is down");
            }
        }

        @Override
        public @Nullable StoredObject find(String key, @Nullable String version) throws IOException {
            ask("find " + key + (version == null ? "" : " " + version));
            return facts(key, version);
        }

        private static @Nullable StoredObject facts(String key, @Nullable String version) {
            byte[] content = OBJECTS.get(key);
            return content == null ? null : new StoredObject(key, TestHub.sha256(content), version, content.length);
        }

        @Override
        public List<StoredObject> list(String prefix) throws IOException {
            ask("list " + prefix);
            return OBJECTS.keySet().stream()
                    .filter(each -> each.startsWith(prefix))
                    .map(each -> Objects.requireNonNull(facts(each, null)))
                    .toList();
        }

        @Override
        public InputStream read(StoredObject object, long from) throws IOException {
            ask("read " + object.key() + " from " + from);
            byte[] content = Objects.requireNonNull(OBJECTS.get(object.key()));
            int end = cut < 0 ? content.length : Math.min(content.length, (int) from + cut);
            cut = -1;
            return new ByteArrayInputStream(Arrays.copyOfRange(content, (int) from, end));
        }

        @Override
        public void close() {}
    }
}

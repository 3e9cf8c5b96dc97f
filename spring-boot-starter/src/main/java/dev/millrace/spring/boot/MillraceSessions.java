package dev.millrace.spring.boot;

import dev.millrace.graph.EngineException;
import dev.millrace.session.ReplaceableSession;
import dev.millrace.session.Session;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;

/**
 * The configured sessions by their names. At shutdown they close after the web server has answered its requests: runs under way end
 * first. Thread-safe.
 */
public final class MillraceSessions implements SmartLifecycle, AutoCloseable {
    /** Below the phases in which web servers finish their requests and stop. */
    private static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 4096;

    private static final String SESSIONS = "millrace.sessions.";

    private final SessionOpener opener;
    private final Environment environment;
    private final BiConsumer<String, ReplaceableSession> opened;
    private final Duration closeTimeout;
    private final Map<String, Entry> entries = new ConcurrentSkipListMap<>();
    private volatile boolean isOpen = true;

    /**
     * A session and how to open it again.
     *
     * @param prefix the prefix of its properties
     * @param properties reads its properties
     */
    private record Entry(ServedSession session, String prefix, Supplier<SessionProperties> properties) {}

    /**
     * Opens the sessions of {@code millrace.sessions}.
     *
     * @param opened is told of each session
     */
    MillraceSessions(SessionOpener opener, Environment environment, BiConsumer<String, ReplaceableSession> opened) {
        this.opener = opener;
        this.environment = environment;
        this.opened = opened;
        MillraceProperties properties = configured();
        this.closeTimeout = properties.engine().closeTimeout();
        try {
            for (String name : new TreeSet<>(SessionBeans.names(environment))) {
                SessionProperties first = properties.sessions().get(name);
                if (first == null) {
                    throw ModelOpenException.withoutModel(name, SESSIONS + name);
                }
                open(name, SESSIONS + name, () -> configured().sessions().getOrDefault(name, first));
            }
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private MillraceProperties configured() {
        return Binder.get(environment).bindOrCreate("millrace", MillraceProperties.class);
    }

    /**
     * Opens one more session, with the properties of a prefix. It is reloaded and closed with the others.
     *
     * @param name a name that no other session has
     */
    public ServedSession open(String name, String prefix) {
        return open(name, prefix, () -> Binder.get(environment).bindOrCreate(prefix, SessionProperties.class));
    }

    private synchronized ServedSession open(String name, String prefix, Supplier<SessionProperties> properties) {
        if (entries.containsKey(name)) {
            throw new IllegalArgumentException("There is a session '" + name + "' already");
        }
        SessionProperties read = properties.get();
        Session model = opener.open(name, prefix, read);
        ServedSession session = served(model, prefix, read, () -> new ServedSession(name, model, read));
        entries.put(name, new Entry(session, prefix, properties));
        opened.accept(name, session.owner());
        return session;
    }

    /** Returns the use of an open model, which is closed if its properties of batching do not suit it. */
    private static <T> T served(Session model, String prefix, SessionProperties properties, Supplier<T> use) {
        try {
            return use.get();
        } catch (EngineException e) {
            model.close();
            throw new ModelOpenException(prefix + ".model", properties.model(), e);
        }
    }

    /** Returns the names of the sessions. */
    public Set<String> names() {
        return Set.copyOf(entries.keySet());
    }

    /** Returns all sessions, in the order of their names. */
    public List<ServedSession> all() {
        return entries.values().stream().map(Entry::session).toList();
    }

    /** Returns the session of a name; throws {@link IllegalArgumentException} if none has it. */
    public ServedSession get(String name) {
        return entry(name).session();
    }

    private Entry entry(String name) {
        Entry entry = entries.get(name);
        if (entry == null) {
            throw new IllegalArgumentException("There is no session '" + name + "'; there are " + entries.keySet());
        }
        return entry;
    }

    /**
     * Reads the properties and the model of a session again. The new model is opened and warmed up before it takes over, and the earlier
     * one finishes its requests.
     *
     * @throws ModelOpenException if the new model does not open; the earlier one goes on
     * @throws BindException if a property has a wrong value; the earlier model goes on
     */
    public synchronized void reload(String name) {
        Entry entry = entry(name);
        SessionProperties properties = entry.properties().get();
        Session next = opener.open(name, entry.prefix(), properties);
        served(next, entry.prefix(), properties, () -> {
            entry.session().replace(next, properties);
            return name;
        });
    }

    /** Reloads the sessions that the event means. If one of them fails, the others are reloaded first. */
    @EventListener
    public void reload(SessionReload event) {
        String name = event.session();
        RuntimeException failure = null;
        for (String each : name == null ? new TreeSet<>(names()) : Set.of(name)) {
            try {
                reload(each);
            } catch (ModelOpenException | BindException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public synchronized void start() {
        if (!isOpen) {
            entries.forEach((name, entry) -> {
                SessionProperties properties = entry.properties().get();
                entry.session().reopen(opener.open(name, entry.prefix(), properties), properties);
                opened.accept(name, entry.session().owner());
            });
            isOpen = true;
        }
    }

    @Override
    public void stop() {
        close();
    }

    /** Closes the sessions, which finish the requests that they have accepted, within the configured time. */
    @Override
    public synchronized void close() {
        long end = System.nanoTime() + closeTimeout.toNanos();
        if (isOpen) {
            isOpen = false;
            for (ServedSession each : all()) {
                each.close(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
            }
        }
    }

    @Override
    public boolean isRunning() {
        return isOpen;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    /** Whether idle test contexts may close the sessions; they may not, since others may wait for them. */
    @Override
    public boolean isPauseable() {
        return false;
    }
}

package dev.millrace.epcontext;

import java.util.concurrent.ConcurrentHashMap;

/** The workspaces of an engine, one for each provider that has compiled something. Thread-safe. */
public final class Workspaces {
    private final ConcurrentHashMap<String, Workspace> byProvider = new ConcurrentHashMap<>();

    public Workspace of(String provider) {
        return byProvider.computeIfAbsent(provider, Workspace::new);
    }
}

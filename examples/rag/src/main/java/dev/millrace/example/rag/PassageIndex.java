package dev.millrace.example.rag;

import java.util.List;

/** An index of passages. */
interface PassageIndex {
    /** Adds passages. */
    void add(List<String> passages);

    /** Returns the passages that are nearest to a question, the nearest first. */
    List<String> find(String question, int most);
}

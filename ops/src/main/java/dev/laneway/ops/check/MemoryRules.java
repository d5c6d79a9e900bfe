package dev.laneway.ops.check;

import java.util.List;

/** The rules about memory: M1 to M9. */
final class MemoryRules {
    private MemoryRules() {}

    static List<Rule> all() {
        return List.of(
                new GcRule(),
                new StreamsRule(RuleId.M2, NativeMemoryRules::bounded),
                new StreamsRule(RuleId.M3, NativeMemoryRules::allocator),
                new StreamsRule(RuleId.M4, HeapRule::judge),
                new StreamsRule(RuleId.M5, CacheRules::recordCache),
                new StreamsRule(RuleId.M6, CacheRules::blockCache),
                new StreamsRule(RuleId.M7, WriteBufferRule::judge),
                new StreamsRule(RuleId.M8, CacheRules::pageCache),
                new StreamsRule(RuleId.M9, NativeMemoryRules::stores));
    }
}

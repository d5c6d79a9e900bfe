package dev.laneway.testkit;

import org.junit.jupiter.api.DisplayName;

@DisplayName("Contract on the simulation: commits")
class SimCommitContractTest extends CommitContract {
    @Override
    ContractCluster connect() {
        return new SimContractCluster();
    }
}

package dev.laneway.testkit;

import org.junit.jupiter.api.DisplayName;

@DisplayName("Contract on the simulation: fetches")
class SimFetchContractTest extends FetchContract {
    @Override
    ContractCluster connect() {
        return new SimContractCluster();
    }
}
